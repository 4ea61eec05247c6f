package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/eclusier/eclusier/hack/devcluster/internal/scenario"
)

// asProgram makes the test binary behave as the program: control planes have to run in processes of their own, since
// the Kubernetes parts keep global state.
const asProgram = "DEVCLUSTER_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// startProgram runs the program until the end of the test and returns the way into its cluster.
func startProgram(t *testing.T, args ...string) *rest.Config {
	t.Helper()
	ready := filepath.Join(t.TempDir(), "ready")
	command := exec.Command(os.Args[0], append(args, "--ready-file", ready)...)
	command.Env = append(os.Environ(), asProgram+"=yes", "TMPDIR="+shortTempDir(t))
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	t.Cleanup(func() {
		if err := command.Process.Signal(syscall.SIGINT); err != nil {
			t.Error("stopping the program:", err)
		}
		if err := <-ended; err != nil {
			t.Errorf("the program did not stop cleanly: %v\n%s", err, &output)
		}
	})
	for {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("the program ended early: %v\n%s", err, &output)
		case <-time.After(20 * time.Millisecond):
		}
		kubeconfig, err := os.ReadFile(ready)
		if err != nil {
			continue
		}
		config, err := clientcmd.BuildConfigFromFlags("", strings.TrimSpace(string(kubeconfig)))
		if err != nil {
			t.Fatal(err)
		}
		config.QPS, config.Burst = -1, -1
		return config
	}
}

// shortTempDir is a folder that must be empty again when the program has stopped.
func shortTempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "dc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

const scenarios = "../../test/cases/scenarios"

func TestLoad_replaysEveryScenarioWhole(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(scenarios, "*", "objects.yaml"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no scenarios in %s: %v", scenarios, err)
	}
	for _, file := range dirs {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) { replay(t, dir) })
	}
}

func TestLoad_bringsInWhatAdmissionWouldRefuse(t *testing.T) {
	cluster := replay(t, filepath.Join("testdata", "refused"))
	for name, err := range map[string]error{
		"service account": second(cluster.typed.CoreV1().ServiceAccounts("strict").Get(t.Context(), "vanished", metav1.GetOptions{})),
		"priority class":  second(cluster.typed.SchedulingV1().PriorityClasses().Get(t.Context(), "vanished", metav1.GetOptions{})),
	} {
		if !apierrors.IsNotFound(err) {
			t.Errorf("the %s that the scenario lacks is there: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// replay loads a scenario and expects it whole.
func replay(t *testing.T, dir string) *reader {
	t.Helper()
	want, err := scenario.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	cluster := newReader(t, startProgram(t, "load", dir))
	for _, object := range want.Objects {
		cluster.compare(t, object)
	}
	cluster.compareLogs(t, dir)
	return cluster
}

// reader looks objects up by what a file says of them.
type reader struct {
	client dynamic.Interface
	typed  kubernetes.Interface
	mapper *restmapper.DeferredDiscoveryRESTMapper
}

func newReader(t *testing.T, config *rest.Config) *reader {
	t.Helper()
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discovery.NewDiscoveryClient(typed.Discovery().RESTClient())))
	return &reader{client: client, typed: typed, mapper: mapper}
}

// compare expects everything that the file says of an object from the API server, which may say more.
func (r *reader) compare(t *testing.T, want *unstructured.Unstructured) {
	t.Helper()
	name := fmt.Sprintf("%s %s/%s", want.GetKind(), want.GetNamespace(), want.GetName())
	mapping, err := r.mapper.RESTMapping(want.GroupVersionKind().GroupKind(), want.GroupVersionKind().Version)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	got, err := r.client.Resource(mapping.Resource).Namespace(want.GetNamespace()).Get(context.Background(), want.GetName(), metav1.GetOptions{})
	if err != nil {
		t.Errorf("%s is lost: %v", name, err)
		return
	}
	if (want.GetDeletionTimestamp() != nil) != (got.GetDeletionTimestamp() != nil) {
		t.Errorf("%s: being deleted is %v, want %v", name, got.GetDeletionTimestamp() != nil, want.GetDeletionTimestamp() != nil)
	}
	if wanted, _, _ := unstructured.NestedInt64(want.Object, "status", "observedGeneration"); wanted > 0 && want.GetDeletionTimestamp() == nil {
		seen, _, _ := unstructured.NestedInt64(got.Object, "status", "observedGeneration")
		if (wanted == want.GetGeneration()) != (seen == got.GetGeneration()) {
			t.Errorf("%s: its controller has seen %d of %d, want %d of %d", name, seen, got.GetGeneration(), wanted, want.GetGeneration())
		}
	}
	for _, field := range []string{"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "uid", "resourceVersion"} {
		unstructured.RemoveNestedField(want.Object, "metadata", field)
	}
	switch want.GetKind() {
	case "Job":
		unstructured.RemoveNestedField(want.Object, "spec", "manualSelector")
	case "Service":
		if address, _, _ := unstructured.NestedString(want.Object, "spec", "clusterIP"); address != "None" && !strings.HasPrefix(address, "10.96.") {
			unstructured.RemoveNestedField(want.Object, "spec", "clusterIP")
			unstructured.RemoveNestedField(want.Object, "spec", "clusterIPs")
		}
	}
	for _, difference := range differences(want.Object, got.Object, "") {
		t.Errorf("%s: %s", name, difference)
	}
}

// differences lists where the part does not say what is wanted. References to uids have to be filled in, and
// generations are those of the new object.
func differences(want, got any, path string) []string {
	if strings.HasSuffix(path, ".observedGeneration") {
		return nil
	}
	switch w := want.(type) {
	case nil:
		return nil
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok && len(w) > 0 {
			return []string{fmt.Sprintf("%s is %v, want %v", path, got, want)}
		}
		var all []string
		for key := range w {
			all = append(all, differences(w[key], g[key], path+"."+key)...)
		}
		return all
	case []any:
		g, ok := got.([]any)
		if len(w) != len(g) || (!ok && len(w) > 0) {
			return []string{fmt.Sprintf("%s is %v, want %v", path, got, want)}
		}
		var all []string
		for i := range w {
			all = append(all, differences(w[i], g[i], fmt.Sprintf("%s[%d]", path, i))...)
		}
		return all
	}
	wanted, is := fmt.Sprint(want), fmt.Sprint(got)
	switch {
	case wanted == is, wanted == "" && got == nil, wanted == "0" && got == nil, wanted == "false" && got == nil:
		return nil
	case strings.HasPrefix(wanted, "UID-OF/") && is != "" && !strings.HasPrefix(is, "UID-OF/"):
		return nil
	case sameTime(wanted, is), sameQuantity(wanted, is):
		return nil
	}
	return []string{fmt.Sprintf("%s is %v, want %v", path, got, want)}
}

func sameTime(a, b string) bool {
	left, errLeft := time.Parse(time.RFC3339Nano, a)
	right, errRight := time.Parse(time.RFC3339Nano, b)
	return errLeft == nil && errRight == nil && left.Equal(right)
}

func sameQuantity(a, b string) bool {
	left, errLeft := resource.ParseQuantity(a)
	right, errRight := resource.ParseQuantity(b)
	return errLeft == nil && errRight == nil && left.Cmp(right) == 0
}

// compareLogs reads every log of the folder whose pod has a node, through the API server.
func (r *reader) compareLogs(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "logs", "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".log")
		options := &corev1.PodLogOptions{Previous: strings.HasSuffix(name, ".previous")}
		parts := strings.Split(strings.TrimSuffix(name, ".previous"), "_")
		options.Container = parts[2]
		stream, err := r.typed.CoreV1().Pods(parts[0]).GetLogs(parts[1], options).Stream(context.Background())
		if err != nil {
			t.Errorf("log %s: %v", name, err)
			continue
		}
		got, err := io.ReadAll(stream)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("log %s: got %d bytes (%v), want %d", name, len(got), err, len(want))
		}
	}
}

func TestDifferences_seesAChange(t *testing.T) {
	var want, got map[string]any
	if err := json.Unmarshal([]byte(`{"a":[{"b":"1Gi","c":"x"}]}`), &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(`{"a":[{"b":"1024Mi","c":"y"}]}`), &got); err != nil {
		t.Fatal(err)
	}
	if found := differences(want, got, ""); len(found) != 1 || found[0] != ".a[0].c is y, want x" {
		t.Errorf("got %v", found)
	}
}
