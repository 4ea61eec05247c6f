package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

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
