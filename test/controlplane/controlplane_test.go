package controlplane

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

var frozen *Frozen

func TestMain(m *testing.M) {
	os.Exit(Run(m, func(f *Frozen) { frozen = f }, Install(func(ctx context.Context, f *Frozen) error {
		_, err := kubernetes.NewForConfigOrDie(f.Config).CoreV1().Namespaces().
			Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "installed"}}, metav1.CreateOptions{})
		return err
	})))
}

func TestRun_installsBeforeTheTests(t *testing.T) {
	_, err := kubernetes.NewForConfigOrDie(frozen.Config).CoreV1().Namespaces().Get(t.Context(), "installed", metav1.GetOptions{})
	if err != nil {
		t.Error(err)
	}
}

func TestRun_servesMutatingAdmissionPolicies(t *testing.T) {
	_, err := kubernetes.NewForConfigOrDie(frozen.Config).AdmissionregistrationV1().MutatingAdmissionPolicies().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Error(err)
	}
}

func TestUser_isWhoTheAPIServerSays(t *testing.T) {
	live := Live(t, "--frozen")
	for name, config := range map[string]*rest.Config{
		"of an API server for a package": frozen.User(t, "alice", "team-a"),
		"of a control plane of its own":  live.User(t, "alice", "team-a"),
	} {
		t.Run(name, func(t *testing.T) {
			client := kubernetes.NewForConfigOrDie(config)
			review, err := client.AuthenticationV1().SelfSubjectReviews().
				Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			who := review.Status.UserInfo
			if who.Username != "alice" || len(who.Groups) == 0 || who.Groups[0] != "team-a" {
				t.Errorf("got %v", who)
			}
			_, err = client.CoreV1().Secrets("default").List(t.Context(), metav1.ListOptions{})
			if !apierrors.IsForbidden(err) {
				t.Errorf("an ordinary user reads secrets: %v", err)
			}
		})
	}
}

func TestLive_runsAndLogsAPod(t *testing.T) {
	client := kubernetes.NewForConfigOrDie(Live(t, "--nodes", "1").Config)
	pods := client.CoreV1().Pods("default")
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Annotations: map[string]string{"devcluster.eclusier.io/log": "listening\n"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:1"}}},
	}
	ctx, cancel := context.WithTimeout(t.Context(), readyTime)
	defer cancel()
	err := wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		_, err := pods.Create(ctx, pod, metav1.CreateOptions{})
		// The service account controller makes the account that admission asks for.
		return err == nil, ignoreForbidden(err)
	})
	if err != nil {
		t.Fatal(err)
	}
	err = wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		got, err := pods.Get(ctx, "web", metav1.GetOptions{})
		return err == nil && got.Status.Phase == corev1.PodRunning, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := readLog(t, client, "default", "web", "web"); got != "listening\n" {
		t.Errorf("log: got %q", got)
	}
}

func ignoreForbidden(err error) error {
	if apierrors.IsForbidden(err) {
		return nil
	}
	return err
}

func TestLoad_replaysAScenario(t *testing.T) {
	scenarios, err := filepath.Glob("../cases/scenarios/*/logs/*_*_*.log")
	if err != nil || len(scenarios) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	dir := filepath.Dir(filepath.Dir(scenarios[0]))
	child := Load(t, dir)
	if child.Now.IsZero() {
		t.Error("the moment of the scenario is unknown")
	}
	list, err := kubernetes.NewForConfigOrDie(child.Config).CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) == 0 {
		t.Errorf("no pods: %v", err)
	}
}

func readLog(t *testing.T, client kubernetes.Interface, namespace, pod, container string) string {
	t.Helper()
	stream, err := client.CoreV1().Pods(namespace).GetLogs(pod, &corev1.PodLogOptions{Container: container}).Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(stream)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
