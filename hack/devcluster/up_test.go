package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// startCluster runs a whole cluster until the end of the test, which also expects that it stops cleanly.
func startCluster(t *testing.T, args ...string) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(startProgram(t, append([]string{"up"}, args...)...))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// eventually waits until the condition holds.
func eventually(t *testing.T, what string, holds func(context.Context) (bool, error)) {
	t.Helper()
	if err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, 2*time.Minute, true, holds); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func TestUp_aFixHealsARealMistake(t *testing.T) {
	client := startCluster(t, "--nodes", "2")
	nodes, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil || len(nodes.Items) != 2 {
		t.Errorf("nodes: got %d (%v), want 2", len(nodes.Items), err)
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Annotations: map[string]string{"devcluster.eclusier.io/log": "listening\n"}},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "web", Image: "web:1"}},
			Volumes: []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
				LocalObjectReference: corev1.LocalObjectReference{Name: "web-config"},
			}}}},
		},
	}
	if _, err := client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the kubelet tells what is missing", func(ctx context.Context) (bool, error) {
		events, err := client.CoreV1().Events("default").List(ctx, metav1.ListOptions{FieldSelector: "reason=FailedMount"})
		return err == nil && len(events.Items) == 1 && events.Items[0].Source.Component == "kubelet", err
	})
	configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web-config"}}
	if _, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), configMap, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the pod runs", func(ctx context.Context) (bool, error) {
		got, err := client.CoreV1().Pods("default").Get(ctx, "web", metav1.GetOptions{})
		return err == nil && got.Status.Phase == corev1.PodRunning, err
	})
	stream, err := client.CoreV1().Pods("default").GetLogs("web", &corev1.PodLogOptions{}).Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(stream); err != nil || string(text) != "listening\n" {
		t.Errorf("log: got %q (%v)", text, err)
	}
}

func TestUp_anIllNodeIsTaintedAndRecovers(t *testing.T) {
	client := startCluster(t, "--nodes", "1")
	for _, c := range []struct{ patch, taint, reason string }{
		{`{"metadata":{"annotations":{"devcluster.eclusier.io/play":"DiskPressure"}}}`, "node.kubernetes.io/disk-pressure", "the node says so"},
		{`{"metadata":{"annotations":{"devcluster.eclusier.io/play":null}}}`, "", "it is well again"},
		{`{"metadata":{"annotations":{"devcluster.eclusier.io/play":"NotReady"}}}`, "node.kubernetes.io/not-ready", "the kubelet is down"},
	} {
		if _, err := client.CoreV1().Nodes().Patch(t.Context(), "worker-1", "application/merge-patch+json", []byte(c.patch), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		eventually(t, c.reason, func(ctx context.Context) (bool, error) {
			node, err := client.CoreV1().Nodes().Get(ctx, "worker-1", metav1.GetOptions{})
			if err != nil || c.taint == "" {
				return err == nil && len(node.Spec.Taints) == 0, err
			}
			return len(node.Spec.Taints) > 0 && node.Spec.Taints[0].Key == c.taint, nil
		})
	}
}

func TestUp_aKeptFolderGoesOn(t *testing.T) {
	dir := t.TempDir()
	t.Run("first", func(t *testing.T) {
		client := startCluster(t, "--dir", dir, "--frozen")
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kept"}}
		if _, err := client.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("again", func(t *testing.T) {
		client := startCluster(t, "--dir", dir, "--frozen")
		second := exec.CommandContext(t.Context(), os.Args[0], "up", "--dir", dir)
		second.Env = append(os.Environ(), asProgram+"=yes", "TMPDIR="+shortTempDir(t))
		if out, err := second.CombinedOutput(); err == nil || !strings.Contains(string(out), "is in use by another control plane") {
			t.Errorf("a second one in the same folder: got %v %s", err, out)
		}
		if _, err := client.CoreV1().Namespaces().Get(t.Context(), "kept", metav1.GetOptions{}); err != nil {
			t.Error(err)
		}
		alice := exec.CommandContext(t.Context(), os.Args[0], "kubeconfig", "--dir", dir, "--user", "alice:dev")
		alice.Env = append(os.Environ(), asProgram+"=yes")
		kubeconfig, err := alice.Output()
		if err != nil {
			t.Fatal(err)
		}
		config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
		if err != nil {
			t.Fatal(err)
		}
		_, err = kubernetes.NewForConfigOrDie(config).CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{})
		if err == nil || !strings.Contains(err.Error(), `User "alice" cannot list`) {
			t.Errorf("an ordinary user: got %v", err)
		}
	})
}

func TestUp_aStageOfOnesOwnPlaysAPod(t *testing.T) {
	dir := t.TempDir()
	stage := `apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: lost}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchAnnotations: {devcluster.eclusier.io/kubelet: none}
    matchExpressions:
    - {key: .status.phase, operator: In, values: [Pending]}
  next:
    statusTemplate: |
      phase: Unknown
      reason: NodeLost
`
	if err := os.WriteFile(filepath.Join(dir, "stage.yaml"), []byte(stage), 0o600); err != nil {
		t.Fatal(err)
	}
	client := startCluster(t, "--nodes", "1", "--stages", dir)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Annotations: map[string]string{"devcluster.eclusier.io/kubelet": "none"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:1"}}},
	}
	if _, err := client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the stage is played", func(ctx context.Context) (bool, error) {
		got, err := client.CoreV1().Pods("default").Get(ctx, "web", metav1.GetOptions{})
		return err == nil && got.Status.Reason == "NodeLost", err
	})
}

func TestRun_saysWhatIsWrongWithTheArguments(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no command", []string{"devcluster"}, "what to do is missing"},
		{"an unknown command", []string{"devcluster", "down"}, `"down" is unknown`},
		{"a scenario that is not there", []string{"devcluster", "load", "nowhere"}, "nowhere/objects.yaml: no such file or directory"},
		{"no scenario", []string{"devcluster", "load"}, "the folder of the scenario is missing"},
		{"a cluster that is not there", []string{"devcluster", "kubeconfig", "--dir", "nowhere", "--user", "alice"}, "finding the cluster of nowhere"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := run(c.args); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
