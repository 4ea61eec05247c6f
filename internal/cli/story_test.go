package cli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/config/policy"
	"github.com/eclusier/eclusier/internal/cli"
	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/cluster/live"
	"github.com/eclusier/eclusier/internal/pipeline/kubernetes"
	"github.com/eclusier/eclusier/internal/pipeline/kubernetes/manifest"
	"github.com/eclusier/eclusier/internal/transcript/secrets"
)

// server is a real API server with our kinds that checks who asks and, like those before Kubernetes 1.36, writes no name
// into a task by itself.
type server struct {
	t          *testing.T
	kubeconfig string
	tasks      client.WithWatch
}

// patience is how long the API server may take to start or to enforce a policy on a machine that is busy with other things.
const patience = 2 * time.Minute

func startServer(t *testing.T) *server {
	t.Helper()
	environment := &envtest.Environment{CRDDirectoryPaths: []string{"../../config/crd/bases"}, ErrorIfCRDPathMissing: true,
		ControlPlaneStartTimeout: patience, ControlPlaneStopTimeout: patience}
	environment.CRDInstallOptions.MaxTime = patience
	config, err := environment.Start()
	if err != nil {
		t.Fatalf("no API server to test on, run the tests with make test: %v", err)
	}
	t.Cleanup(func() { _ = environment.Stop() })
	s := &server{t: t, kubeconfig: filepath.Join(t.TempDir(), "config")}
	if err := os.WriteFile(s.kubeconfig, environment.KubeConfig, 0o600); err != nil {
		t.Fatal(err)
	}
	if s.tasks, err = cli.NewClient(config); err != nil {
		t.Fatal(err)
	}
	s.checkRequesters()
	return s
}

// checkRequesters installs the policy that refuses other people's names, and waits until it is in force.
func (s *server) checkRequesters() {
	s.t.Helper()
	ctx := s.t.Context()
	for document := range strings.SplitSeq(policy.Requester(), "\n---\n") {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), object); err != nil {
			s.t.Fatal(err)
		}
		if err := s.tasks.Create(ctx, object); err != nil {
			s.t.Fatal(err)
		}
	}
	forged := &v1alpha1.AgentTask{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "forged"},
		Spec:       v1alpha1.AgentTaskSpec{Prompt: "?", RequestedBy: &v1alpha1.Requester{Username: "nobody"}},
	}
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		return apierrors.IsForbidden(s.tasks.Create(ctx, forged.DeepCopy(), client.DryRunAll)), nil
	})
	if err != nil {
		s.t.Fatalf("the policy is not in force: %v", err)
	}
}

// run runs a command line against the server.
func (s *server) run(args ...string) result {
	var out, errs bytes.Buffer
	env := cli.Env{
		In: strings.NewReader(""), Out: &out, Err: &errs, Now: time.Now, Client: cli.NewClient, Kinds: cli.NewKinds,
		Normal: manifest.Normal, Diff: manifest.Diff,
		Planner: func(config *rest.Config) (cli.Planner, error) {
			return kubernetes.New(kubernetes.Options{Config: config, AsSelf: true})
		},
		Kept: func(config *rest.Config, namespace string) (cli.Snapshots, error) {
			c, err := cli.NewClient(config)
			return secrets.New(c, namespace, time.Now), err
		},
		Live: func(config *rest.Config) (cluster.Reader, error) {
			connection, err := live.Connect(config, live.Options{})
			if err != nil {
				return nil, err
			}
			return connection.Reader()
		},
	}
	code := cli.Run(s.t.Context(), env, append([]string{"--kubeconfig", s.kubeconfig}, args...))
	return result{code: code, out: out.String(), err: errs.String()}
}

// operate answers the first task that is created, as the operator would.
func (s *server) operate() {
	ctx := s.t.Context()
	changes, err := s.tasks.Watch(ctx, &v1alpha1.AgentTaskList{}, client.InNamespace("default"))
	if err != nil {
		s.t.Error(err)
		return
	}
	go func() {
		defer changes.Stop()
		for change := range changes.ResultChan() {
			if task, ok := change.Object.(*v1alpha1.AgentTask); ok && task.Status.Phase == "" {
				condition(task, v1alpha1.ConditionAccepted, metav1.ConditionTrue, "Accepted", "Asked by an administrator.")
				if err := s.tasks.Status().Update(ctx, task); err != nil {
					s.t.Error(err)
				}
				answered(task)
				if err := s.tasks.Status().Update(ctx, task); err != nil {
					s.t.Error(err)
				}
				return
			}
		}
	}()
}

func TestStory_onARealServer(t *testing.T) {
	s := startServer(t)

	s.operate()
	got := s.run("ask", "-n", "default", "--wait", "--timeout", "1m", "--ascii", "--name", "first", "Why does web not start?")
	if got.code != cli.ExitDone || !strings.Contains(got.out, "The image web:9.9 does not exist") || !strings.Contains(got.err, "+ Accepted") {
		t.Fatalf("ask: exit code %d\n%s\n%s", got.code, got.out, got.err)
	}
	task := &v1alpha1.AgentTask{}
	if err := s.tasks.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "first"}, task); err != nil {
		t.Fatal(err)
	}
	if by := task.Spec.RequestedBy; by == nil || by.Username == "" {
		t.Errorf("the task does not say who asked: %+v", by)
	}
	if got := s.run("get", "-A"); got.code != cli.ExitDone || !strings.Contains(got.out, "first") {
		t.Errorf("get: exit code %d\n%s\n%s", got.code, got.out, got.err)
	}
	if got := s.run("show", "-n", "default", "first"); got.code != cli.ExitDone || !strings.Contains(got.out, "ImageNotFound") {
		t.Errorf("show: exit code %d\n%s\n%s", got.code, got.out, got.err)
	}
	if got := s.run("ask", "-n", "default", "--name", "first", "Once more?"); got.code != cli.ExitTrouble || !strings.Contains(got.err, "choose another --name") {
		t.Errorf("ask with a name that is taken: exit code %d, %q", got.code, got.err)
	}
	got = s.run("ask", "-n", "default", "--as", "bob", "May I?")
	if got.code != cli.ExitTrouble || !strings.Contains(got.err, "kubectl auth can-i") {
		t.Errorf("ask without the right to: exit code %d, %q", got.code, got.err)
	}
}

func TestStory_ofADiagnosisOnARealServer(t *testing.T) {
	s := startServer(t)
	ctx := t.Context()

	if got := s.run("diagnose", "-n", "default"); got.code != cli.ExitDone || !strings.HasPrefix(got.out, "NoFaultFound") {
		t.Errorf("of a namespace with nothing in it: exit code %d\n%s\n%s", got.code, got.out, got.err)
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "cart"},
		Spec: corev1.PodSpec{NodeName: "worker-1", Containers: []corev1.Container{{
			Name: "cart", Image: "registry.example/cart:1",
			EnvFrom: []corev1.EnvFromSource{{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "cart-config"}}}},
		}}},
	}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "default"}}
	for _, o := range []client.Object{account, pod} {
		if err := s.tasks.Create(ctx, o); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
	}
	pod.Status = corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{{
		Name: "cart", Image: "registry.example/cart:1",
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{
			Reason: "CreateContainerConfigError", Message: `configmap "cart-config" not found`,
		}},
	}}}
	if err := s.tasks.Status().Update(ctx, pod); err != nil {
		t.Fatal(err)
	}
	got := s.run("diagnose", "-n", "default", "pod/cart", "--exit-code", "-o", "yaml")
	if got.code != cli.ExitNoAnswer || !strings.Contains(got.out, "cause: MissingConfigMap") {
		t.Errorf("of a pod whose ConfigMap is missing: exit code %d\n%s\n%s", got.code, got.out, got.err)
	}
	if got := s.run("diagnose", "-n", "default", "deployment/cart"); got.code != cli.ExitTrouble || !strings.Contains(got.err, "there is no deployment/cart in namespace default") {
		t.Errorf("of an object that is not there: exit code %d, %q", got.code, got.err)
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "login"}, Data: map[string][]byte{"pin": []byte("sesame")}}
	if err := s.tasks.Create(ctx, secret); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"ls", "pods", "-A"}, "Pod default/cart"},
		{[]string{"get", "pod/cart", "-n", "default"}, "apiVersion: v1"},
		{[]string{"get", "secret/login", "-n", "default"}, "kind: Secret"},
		{[]string{"refs", "pod/cart", "-n", "default"}, "ConfigMap default/cart-config (containers[cart].envFrom[0].configMapRef)"},
		{[]string{"search", "cart:1", "-n", "default"}, "Pod default/cart  image: registry.example/cart:1"},
	} {
		got := s.run(append([]string{"objects"}, c.args...)...)
		if got.code != cli.ExitDone || !strings.Contains(got.out, c.says) || strings.Contains(got.out, "c2VzYW1l") {
			t.Errorf("objects %v: exit code %d\n%s\n%s", c.args, got.code, got.out, got.err)
		}
	}
}
