package dump_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/cluster/dump"
)

const (
	podYAML = `apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: shop, creationTimestamp: "2026-03-01T10:00:00Z"}
spec: {nodeName: n1, containers: [{name: web, image: web}]}
status: {phase: Running, startTime: "2026-03-01T10:00:05Z"}
`
	podItem = `{"metadata":{"name":"web-0","namespace":"shop","creationTimestamp":"2026-03-01T10:00:00Z"},"spec":{"nodeName":"n1","containers":[{"name":"web"}]}}`
)

// tree writes files into a new folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// archive packs files into a .tar.gz.
func archive(t *testing.T, files map[string]string) string {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for name, content := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o600, Size: int64(len(content))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "dump.tar.gz")
	if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func read(t *testing.T, name string, wants ...cluster.Want) *cluster.Snapshot {
	t.Helper()
	d, err := dump.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	s := d.Snapshot()
	if err := d.Read(context.Background(), s, wants); err != nil {
		t.Fatal(err)
	}
	return s
}

func namespaceWant(name string) cluster.Want {
	return cluster.Want{What: cluster.WantNamespace, Namespace: name}
}

func logWant(previous bool) cluster.Want {
	return cluster.Want{What: cluster.WantLog, Namespace: "shop", Name: "web-0", Container: "web", Previous: previous}
}

func TestEveryLayoutIsRead(t *testing.T) {
	t.Parallel()
	marked := "==== START logs for container web of pod shop/web-0 ====\nhello\n==== END logs for container web of pod shop/web-0 ====\n"
	glued := strings.Replace(marked, "hello\n", "hello", 1)
	list := `{"kind":"PodList","apiVersion":"v1","items":[` + podItem + `]}`
	for _, c := range []struct {
		name     string
		files    map[string]string
		previous bool
	}{
		{"a scenario", map[string]string{"objects.yaml": podYAML, "logs/shop_web-0_web.log": "hello\n", "expect.yaml": "id: x"}, false},
		{"a scenario with the former log", map[string]string{"objects.yaml": podYAML, "logs/shop_web-0_web.previous.log": "hello\n"}, true},
		{"kubectl cluster-info dump into a folder", map[string]string{"shop/pods.json": list, "shop/web-0/logs.txt": marked}, false},
		{"a log whose last line has no break", map[string]string{"shop/pods.json": list, "shop/web-0/logs.txt": glued}, false},
		{"kubectl cluster-info dump as one stream", map[string]string{"cluster-info.dump": list + "\n" + marked + `{"kind":"EventList","apiVersion":"v1","items":[]}`}, false},
		{"a must-gather", map[string]string{"mg/img/namespaces/shop/core/pods.yaml": "apiVersion: v1\nkind: PodList\nitems:\n- " + podItem, "mg/img/namespaces/shop/pods/web-0/web/web/logs/previous.log": "hello\n"}, true},
		{"a support bundle", map[string]string{"sb/cluster-resources/pods/shop.json": "[" + podItem + "]", "sb/cluster-resources/pods/logs/shop/web-0/web.log": "hello\n"}, false},
		{"lists as kubectl get prints them", map[string]string{"pods.yaml": "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: web-0, namespace: shop}\n", "logs/shop_web-0_web.log": "hello\n"}, false},
	} {
		for kind, name := range map[string]string{"folder": tree(t, c.files), "archive": archive(t, c.files)} {
			t.Run(c.name+" in a "+kind, func(t *testing.T) {
				t.Parallel()
				s := read(t, name, namespaceWant("shop"), logWant(c.previous))
				if len(s.Pods) != 1 || s.Pods[0].Name != "web-0" {
					t.Errorf("pods: %v", s.Pods)
				}
				if len(s.Logs) != 1 || strings.TrimSpace(s.Logs[0].Text) != "hello" {
					t.Errorf("logs: %v, gaps: %v", s.Logs, s.Gaps)
				}
			})
		}
	}
}

func TestANamespaceThatSomethingIsInExists(t *testing.T) {
	t.Parallel()
	s := read(t, tree(t, map[string]string{"pods.yaml": podYAML}), cluster.Want{What: cluster.WantCluster})
	if len(s.Namespaces) != 1 || s.Namespaces[0].Name != "shop" {
		t.Errorf("namespaces %v, want shop: a question about the whole dump must reach its pods", s.Namespaces)
	}
}

func TestSecretsAreReadWithoutTheirValues(t *testing.T) {
	t.Parallel()
	s := read(t, tree(t, map[string]string{"s.yaml": `apiVersion: v1
kind: Secret
metadata:
  name: db
  namespace: shop
  annotations: {kubectl.kubernetes.io/last-applied-configuration: '{"data":{"password":"aHVzaA=="}}'}
data: {password: aHVzaA==}
stringData: {user: hush}
`}), namespaceWant("shop"))
	if len(s.Secrets) != 1 || !slices.Equal(s.Secrets[0].Keys, []string{"password", "user"}) {
		t.Fatalf("secrets: %+v", s.Secrets)
	}
	if len(s.Secrets[0].Annotations) != 0 {
		t.Errorf("annotations are kept: %v", s.Secrets[0].Annotations)
	}
}

func TestNowIsTheNewestMomentThatTheDumpSpeaksOf(t *testing.T) {
	t.Parallel()
	files := map[string]string{"p.yaml": podYAML + `---
apiVersion: v1
kind: ConfigMap
metadata: {name: future, namespace: shop, annotations: {expires: "2031-01-01T00:00:00Z"}}
---
apiVersion: v1
kind: Event
metadata: {name: e, namespace: shop}
involvedObject: {kind: Pod, namespace: shop, name: web-0}
type: Warning
reason: BackOff
lastTimestamp: "2026-03-01T11:00:00Z"
`}
	want := time.Date(2026, 3, 1, 11, 0, 0, 0, time.UTC)
	if s := read(t, tree(t, files)); !s.Now.Equal(want) {
		t.Errorf("now is %s, want %s", s.Now, want)
	}
	files["logs/shop_web-0_web.log"] = "2026-03-01T11:02:00Z still here\n"
	if s := read(t, tree(t, files)); !s.Now.Equal(want.Add(2 * time.Minute)) {
		t.Errorf("now is %s, want the moment of the log", s.Now)
	}
	files["logs/shop_web-0_web.log"] = "2029-03-01T11:02:00Z a clock that is wrong\n"
	if s := read(t, tree(t, files)); !s.Now.Equal(want) {
		t.Errorf("now is %s, want the log with the wrong clock ignored", s.Now)
	}
}

func TestWhatCannotBeReadIsAGapThatNamesTheFile(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"broken.yaml": "apiVersion: v1\nkind: [", "broken.json": `{"kind":"Pod",`, "odd.json": `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":7}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := read(t, tree(t, map[string]string{"good.yaml": podYAML, name: content}), namespaceWant("shop"))
			if !slices.ContainsFunc(s.Gaps, func(g cluster.Gap) bool { return strings.Contains(g.Detail, name) }) {
				t.Errorf("gaps do not name it: %v", s.Gaps)
			}
			if len(s.Pods) != 1 {
				t.Errorf("the good file is not read: %v", s.Pods)
			}
		})
	}
}

func TestAnArchiveCannotLeaveItsFolder(t *testing.T) {
	t.Parallel()
	s := read(t, archive(t, map[string]string{"../../etc/pods.yaml": podYAML, "good.yaml": strings.Replace(podYAML, "web-0", "web-1", 1)}), namespaceWant("shop"))
	if len(s.Pods) != 1 || s.Pods[0].Name != "web-1" {
		t.Errorf("pods: %v", s.Pods)
	}
	if !slices.ContainsFunc(s.Gaps, func(g cluster.Gap) bool { return strings.Contains(g.Detail, "leaves the archive") }) {
		t.Errorf("does not say so: %v", s.Gaps)
	}
}

func TestALinkInAFolderIsNotFollowed(t *testing.T) {
	t.Parallel()
	outside := tree(t, map[string]string{"secret.yaml": strings.Replace(podYAML, "web-0", "outside", 1)})
	root := tree(t, map[string]string{"good.yaml": podYAML})
	if err := os.Symlink(filepath.Join(outside, "secret.yaml"), filepath.Join(root, "link.yaml")); err != nil {
		t.Skip("no links here")
	}
	if s := read(t, root, namespaceWant("shop")); len(s.Pods) != 1 {
		t.Errorf("pods: %v", s.Pods)
	}
}

func TestAbsenceIsOnlyKnownForKindsThatTheDumpHolds(t *testing.T) {
	t.Parallel()
	s := read(t, tree(t, map[string]string{"p.yaml": podYAML}), namespaceWant("shop"), namespaceWant("other"),
		cluster.Want{What: cluster.WantObject, Kind: "Pod", Namespace: "shop", Name: "gone"}, cluster.Want{What: cluster.WantObject, Kind: "Secret", Namespace: "shop", Name: "gone"})
	reasons := map[string]cluster.GapReason{}
	for _, g := range s.Gaps {
		reasons[string(g.Want.What)+g.Want.Kind+g.Want.Namespace+g.Resource] = g.Reason
	}
	for key, want := range map[string]cluster.GapReason{
		"Namespaceshopconfigmaps": cluster.GapNotInDump, "Namespaceother": cluster.GapNotInDump,
		"ObjectPodshop": cluster.GapNotFound, "ObjectSecretshop": cluster.GapNotInDump,
	} {
		if reasons[key] != want {
			t.Errorf("%s is %q, want %q", key, reasons[key], want)
		}
	}
	if _, whole := reasons["Namespaceshoppods"]; whole {
		t.Error("pods count as missing although the dump holds some")
	}
}

func TestOverlappingWantsGiveEachObjectOnce(t *testing.T) {
	t.Parallel()
	s := read(t, tree(t, map[string]string{"p.yaml": podYAML}), cluster.Want{What: cluster.WantPodsOnNode, Name: "n1"}, namespaceWant("shop"), namespaceWant("shop"))
	if len(s.Pods) != 1 || len(s.Read) != 2 {
		t.Errorf("%d pods, read %v", len(s.Pods), s.Read)
	}
}

func TestFindKnowsKindsByTheirManyNames(t *testing.T) {
	t.Parallel()
	d, err := dump.Open(tree(t, map[string]string{"p.yaml": podYAML}))
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"", "pod", "Pods", "po"} {
		found, err := d.Find(context.Background(), cluster.Query{Kind: word, Name: "web-0", DefaultNamespace: "default"})
		if err != nil || len(found) != 1 || found[0].Ref != (cluster.Ref{Kind: "Pod", Namespace: "shop", Name: "web-0"}) {
			t.Errorf("%q finds %v, %v", word, found, err)
		}
	}
	if found, _ := d.Find(context.Background(), cluster.Query{Kind: "service", Name: "web-0"}); len(found) != 0 {
		t.Errorf("a service is found: %v", found)
	}
}

func TestAnInputWithoutObjectsIsAnError(t *testing.T) {
	t.Parallel()
	for _, name := range []string{tree(t, map[string]string{"readme.md": "x"}), filepath.Join(t.TempDir(), "none")} {
		if _, err := dump.Open(name); err == nil {
			t.Errorf("%s is opened", name)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add("pods.yaml", []byte(podYAML))
	f.Add("pods.json", []byte("["+podItem+"]"))
	f.Add("cluster-info.dump", []byte("==== START logs for container web of pod shop/web-0 ====\n"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		base := filepath.Base(filepath.Clean("/" + name))
		if base == "/" || base == "." || strings.ContainsRune(base, 0) || len(base) > 100 {
			return
		}
		full := filepath.Join(t.TempDir(), base)
		if err := os.WriteFile(full, data, 0o600); err != nil {
			return
		}
		d, err := dump.Open(full)
		if err != nil {
			return
		}
		if err := d.Read(context.Background(), d.Snapshot(), []cluster.Want{{What: cluster.WantCluster}, namespaceWant("shop")}); err != nil {
			t.Fatal(err)
		}
	})
}
