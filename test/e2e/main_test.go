package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/eclusier/eclusier/hack/local"
)

// scene is what every test of the package uses.
var scene struct {
	dir      string
	tenant   string
	program  string
	kubectl  local.Kubectl
	operator *local.Operator
	asker    *local.Asker
}

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	// The cases mostly wait for faults to show and changes to settle, whatever the number of cores.
	if err := flag.Set("test.parallel", "40"); err != nil {
		os.Exit(fail(err))
	}
	os.Exit(play(m))
}

// sceneTime is what it may take to set the scene: the operator is compiled for it, which takes minutes where nothing is
// cached and the other packages are compiled at the same time.
const sceneTime = 10 * time.Minute

// play sets the scene, runs the tests and clears everything away.
func play(m *testing.M) int {
	ctx, cancel := context.WithTimeout(context.Background(), sceneTime)
	defer cancel()
	dir, err := os.MkdirTemp("", "eclusier-e2e-")
	if err != nil {
		return fail(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	scene.dir = dir
	root, err := local.Root()
	if err != nil {
		return fail(err)
	}
	assets, err := local.Assets(ctx, root)
	if err != nil {
		return fail(err)
	}
	plane, err := local.Up(ctx, assets, dir)
	if err != nil {
		return fail(err)
	}
	defer plane.Stop()
	scene.kubectl = local.Kubectl{Path: filepath.Join(assets, "kubectl"), Kubeconfig: plane.Kubeconfig}
	if err := set(ctx, root); err != nil {
		return fail(err)
	}
	defer func() { scene.operator.Stop() }()
	code := m.Run()
	if code != 0 {
		printErrors(scene.operator.Log())
	}
	return code
}

// printErrors prints the errors in the operator's log.
func printErrors(file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, `"level":"error"`) {
			fmt.Print("operator: ", line)
		}
	}
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// set builds the operator, installs what belongs to it, and starts it.
func set(ctx context.Context, root string) error {
	scene.program = filepath.Join(scene.dir, "eclusier-operator")
	build := exec.CommandContext(ctx, "go", "build", "-o", scene.program, "./cmd/operator")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the operator: %w\n%s", err, out)
	}
	folder, err := local.Installation(ctx, scene.kubectl, root)
	if err != nil {
		return err
	}
	if err := local.Install(ctx, scene.kubectl, folder); err != nil {
		return err
	}
	if err := local.AwaitGuard(ctx, scene.kubectl); err != nil {
		return err
	}
	if scene.tenant, err = scene.kubectl.Run(ctx, "kustomize", filepath.Join(root, "config", "tenant")); err != nil {
		return err
	}
	if scene.asker, err = local.NewAsker(ctx, scene.kubectl.Kubeconfig); err != nil {
		return err
	}
	scene.operator, err = local.StartOperator(ctx, scene.kubectl, scene.program, scene.dir)
	return err
}

// sampleNamespace is the one that config/tenant is written for.
var sampleNamespace = regexp.MustCompile(`\bshop\b`)

// openNamespace makes a namespace and opens it for questions, as docs/install.md says.
func openNamespace(ctx context.Context, t *testing.T, name string) {
	t.Helper()
	if _, err := scene.kubectl.Run(ctx, "create", "namespace", name); err != nil {
		t.Fatal(err)
	}
	if err := scene.kubectl.Apply(ctx, sampleNamespace.ReplaceAllString(scene.tenant, name)); err != nil {
		t.Fatal(err)
	}
}

// restartOperator starts the operator again after it was killed.
func restartOperator(ctx context.Context, t *testing.T) {
	t.Helper()
	operator, err := local.StartOperator(ctx, scene.kubectl, scene.program, scene.dir)
	if err != nil {
		t.Fatal(err)
	}
	scene.operator = operator
}
