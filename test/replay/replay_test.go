package replay

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/config/policy"
	"github.com/eclusier/eclusier/controllers/agenttask"
	"github.com/eclusier/eclusier/hack/local"
	"github.com/eclusier/eclusier/internal/cluster/live"
	"github.com/eclusier/eclusier/internal/guard"
	"github.com/eclusier/eclusier/internal/kube"
	"github.com/eclusier/eclusier/internal/telemetry"
	"github.com/eclusier/eclusier/test/controlplane"
)

// sampleNamespace is the one that config/tenant is written for.
const sampleNamespace = "shop"

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

func TestReplay(t *testing.T) {
	folders, err := filepath.Glob("../cases/scenarios/*/expect.yaml")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, path := range folders {
		folder := filepath.Dir(path)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
			defer cancel()
			e := expected(t, folder)
			child := controlplane.Load(t, folder)
			home := install(ctx, t, child, e.Scope.Namespace)
			operate(ctx, t, child, readAges(t, folder))
			task := ask(ctx, t, child, e.task(home))
			e.judge(t, task)
			if t.Failed() {
				t.Logf("question: %s\n%s\n%s", e.Question, local.Headline(task), task.Status.Answer)
			}
		})
	}
}

// install puts eclusier onto the replayed cluster, opens the namespace for questions about the whole cluster, and returns
// its name.
func install(ctx context.Context, t *testing.T, child *controlplane.Child, home string) string {
	t.Helper()
	root, err := local.Root()
	if err != nil {
		t.Fatal(err)
	}
	assets, err := local.Assets(ctx, root)
	if err != nil {
		t.Fatal(err)
	}
	kubectl := local.Kubectl{Path: filepath.Join(assets, "kubectl"), Kubeconfig: child.Kubeconfig}
	folder, err := local.Installation(ctx, kubectl, root)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(local.Install(ctx, kubectl, folder), local.AwaitGuard(ctx, kubectl)); err != nil {
		t.Fatal(err)
	}
	if home == "" {
		home = "questions"
		if _, err := kubectl.Run(ctx, "create", "namespace", home); err != nil {
			t.Fatal(err)
		}
	}
	for _, part := range []string{"reader.yaml", "whole-cluster/reader.yaml"} {
		manifests, err := os.ReadFile(filepath.Join(root, "config", "tenant", part))
		if err != nil {
			t.Fatal(err)
		}
		if err := kubectl.Apply(ctx, strings.ReplaceAll(string(manifests), "namespace: "+sampleNamespace, "namespace: "+home)); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// operate runs the task controller for the time of the test, under the operator's name and at the moment of the scenario.
func operate(ctx context.Context, t *testing.T, child *controlplane.Child, ages ages) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	operator := rest.CopyConfig(child.Config)
	operator.Impersonate = rest.ImpersonationConfig{UserName: policy.DefaultOperator}
	again := true
	manager, err := ctrl.NewManager(operator, ctrl.Options{
		Scheme: scheme, Metrics: server.Options{BindAddress: "0"}, Controller: config.Controller{SkipNameValidation: &again},
	})
	if err != nil {
		t.Fatal(err)
	}
	guarding, err := guard.New(policy.DefaultOperator)
	if err != nil {
		t.Fatal(err)
	}
	readers, err := live.Connect(child.Config, live.Options{Now: func() time.Time { return child.Now }})
	if err != nil {
		t.Fatal(err)
	}
	tasks := &agenttask.Reconciler{
		Client: manager.GetClient(), Uncached: manager.GetAPIReader(), Readers: agedReaders{readers, ages}, Guard: guarding,
		Events: kube.NewEvents(manager.GetEventRecorder("eclusier")), Metrics: telemetry.New(prometheus.NewRegistry()),
		Clock: clock.RealClock{},
	}
	if err := tasks.Setup(manager, 1); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(ctx)
	go func() { ended <- manager.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// ask creates the task and returns it once it has ended.
func ask(ctx context.Context, t *testing.T, child *controlplane.Child, task *v1alpha1.AgentTask) *v1alpha1.AgentTask {
	t.Helper()
	asker, err := local.NewAsker(ctx, child.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	ended, _, err := asker.AskTask(ctx, task)
	if err != nil {
		t.Fatal(err)
	}
	return ended
}
