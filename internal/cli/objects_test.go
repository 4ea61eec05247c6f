package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/internal/cli"
	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/cluster/dump"
)

func TestObjects_ofFiles(t *testing.T) {
	files, err := dump.Open("../../test/cases/scenarios/001-oom-api-limit")
	if err != nil {
		t.Fatal(err)
	}
	s := &shell{t: t, cluster: files}
	for _, c := range []struct {
		name string
		args []string
		code int
		says []string
	}{
		{"the namespaces", []string{"ls", "-A"}, cli.ExitDone, []string{"shop"}},
		{"the objects of a namespace", []string{"ls", "-n", "shop"}, cli.ExitDone, []string{"3  Deployment", "Deployment shop/api"}},
		{"the objects of a kind", []string{"ls", "svc", "-n", "shop"}, cli.ExitDone, []string{"2  Service", "Service shop/web"}},
		{"the nodes, which belong to no namespace", []string{"ls", "nodes", "-n", "shop"}, cli.ExitDone, []string{"Node worker-3"}},
		{"a kind of which there is none", []string{"ls", "pvc", "-n", "shop"}, cli.ExitDone, []string{"nothing found"}},
		{"an object", []string{"get", "deploy/api"}, cli.ExitDone, []string{"kind: Deployment", "replicas: 2"}},
		{"an object that is not there", []string{"get", "deploy/nobody"}, cli.ExitTrouble, []string{"there is no deploy/nobody"}},
		{"references both ways", []string{"refs", "svc/api"}, cli.ExitDone, []string{"Deployment shop/api (selects)", "EndpointSlice shop/api-bmbk4 (owned by)"}},
		{"the chain of owners", []string{"refs", "pod/api-kmwcs6x8c5-ddqtq", "--ascii"}, cli.ExitDone, []string{"<- ReplicaSet shop/api-kmwcs6x8c5 <- Deployment shop/api"}},
		{"the graph", []string{"graph", "-n", "shop"}, cli.ExitDone, []string{"Service shop/api -> Deployment shop/api (selects)"}},
		{"a text in events", []string{"search", "back-off", "-l", "app=api"}, cli.ExitDone, []string{"Pod shop/api-kmwcs6x8c5-ddqtq  event: BackOff"}},
		{"only what is recent", []string{"search", "worker-1", "--kind", "pod", "--since", "1m"}, cli.ExitDone, []string{"nothing found"}},
		{"an expression that makes no sense", []string{"search", "(", "--regex"}, cli.ExitTrouble, []string{"no regular expression"}},
		{"labels", []string{"labels", "app=w"}, cli.ExitDone, []string{"4  app=web"}},
		{"what happened", []string{"recent", "-n", "shop"}, cli.ExitDone, []string{"rollout  Deployment shop/api", "revision 12"}},
		{"a namespace that is not there", []string{"ls", "-n", "nosuch"}, cli.ExitTrouble, []string{"there is no namespace nosuch"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := s.run(append([]string{"objects", "-f", "files"}, c.args...)...)
			if got.code != c.code {
				t.Errorf("exit code %d, %q", got.code, got.err)
			}
			for _, want := range c.says {
				if !strings.Contains(got.out+got.err, want) {
					t.Errorf("does not say %q:\n%s%s", want, got.out, got.err)
				}
			}
		})
	}
}

func TestObjects_forPrograms(t *testing.T) {
	files, err := dump.Open("../../test/cases/scenarios/001-oom-api-limit")
	if err != nil {
		t.Fatal(err)
	}
	s := &shell{t: t, cluster: files}
	for _, args := range [][]string{{"ls"}, {"ls", "pods"}, {"get", "deploy/api"}, {"refs", "deploy/api"}, {"graph"}, {"search", "api"}, {"labels"}, {"recent"}} {
		got := s.run(append([]string{"objects", "-f", "files", "-o", "json"}, args...)...)
		var answer map[string]any
		if err := json.Unmarshal([]byte(got.out), &answer); err != nil || got.code != cli.ExitDone {
			t.Errorf("%v: exit code %d, %v, %q", args, got.code, err, got.err)
		}
		if _, ok := answer["missing"].([]any); !ok && args[0] != "get" {
			t.Errorf("%v: missing is %v", args, answer["missing"])
		}
	}
}

func TestObjects_looksWhereItIsAsked(t *testing.T) {
	inShop, ofCluster := cluster.Want{What: cluster.WantNamespace, Namespace: "shop"}, cluster.Want{What: cluster.WantCluster}
	for _, c := range []struct {
		name string
		args []string
		want []cluster.Want
	}{
		{"in the namespace of the context", []string{"recent"}, []cluster.Want{inShop}},
		{"in the cluster too for what may belong to it", []string{"graph"}, []cluster.Want{inShop, ofCluster}},
		{"for the namespaces first, where all are meant", []string{"recent", "-A"}, []cluster.Want{ofCluster}},
	} {
		t.Run(c.name, func(t *testing.T) {
			reader := &readerDouble{}
			s := &shell{t: t, cluster: reader}
			if got := s.run(append([]string{"objects"}, c.args...)...); got.code != cli.ExitDone {
				t.Fatalf("exit code %d, %q", got.code, got.err)
			}
			if asJSON(t, reader.wants) != asJSON(t, c.want) {
				t.Errorf("wanted %v", reader.wants)
			}
		})
	}
}

// closedReader is a cluster whose secrets may not be listed.
type closedReader struct{ readerDouble }

// Read reads all but the secrets.
func (r *closedReader) Read(ctx context.Context, into *cluster.Snapshot, wants []cluster.Want) error {
	for _, w := range wants {
		into.Gaps = append(into.Gaps, cluster.Gap{Want: w, Resource: "secrets", Reason: cluster.GapForbidden}, cluster.Gap{Want: w, Resource: "leases", Reason: cluster.GapNotInDump})
	}
	return r.readerDouble.Read(ctx, into, wants)
}

func TestObjects_sayWhatCouldNotBeSeen(t *testing.T) {
	s := &shell{t: t, cluster: &closedReader{}}
	const want = "secrets of shop (Forbidden)"
	if got := s.run("objects", "search", "login"); got.out != "nothing found\nnot seen: "+want+"\n" {
		t.Errorf("%q: that nothing was found proves nothing here", got.out)
	}
	if got := s.run("objects", "search", "login", "-o", "json"); !strings.Contains(got.out, want) || strings.Contains(got.out, "leases") {
		t.Errorf("%q", got.out)
	}
}

func TestObjects_areCutAndSaySo(t *testing.T) {
	crowd := &crowdReader{}
	s := &shell{t: t, cluster: crowd}
	if got := s.run("objects", "ls"); !strings.Contains(got.out, "   300  ConfigMap\n") || !strings.HasSuffix(got.out, "\n200 of 300 are shown; narrow the question to see others\n") {
		t.Errorf("%q", got.out)
	}
}

// crowdReader is a cluster with 300 ConfigMaps.
type crowdReader struct{ readerDouble }

// Read reads them.
func (r *crowdReader) Read(_ context.Context, into *cluster.Snapshot, _ []cluster.Want) error {
	for i := range 300 {
		into.ConfigMaps = append(into.ConfigMaps, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: fmt.Sprintf("c-%03d", i)}})
	}
	return nil
}
