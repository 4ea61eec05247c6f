package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/hack/local"
)

// demo is the whole play.
func demo(ctx context.Context, screen *screen) error {
	s, err := newStage(screen)
	if err != nil {
		return err
	}
	defer s.close()
	s.title("eclusier: questions about a cluster, answered from evidence, and changes that somebody agrees to. No model is configured.")
	for _, set := range []func(context.Context) error{s.openCluster, s.install, s.buildShop, s.startOperator} {
		if err := set(ctx); err != nil {
			return err
		}
	}
	asker, err := local.NewAsker(ctx, s.kubectl.Kubeconfig)
	if err != nil {
		return err
	}
	if err := s.step(ctx, "identity", "until the API server vouches for who asks", func() error { return local.AwaitGuard(ctx, s.kubectl) }); err != nil {
		return err
	}
	if err := s.step(ctx, "symptoms", "until every fault has shown up", func() error { return awaitSymptoms(ctx, asker) }); err != nil {
		return err
	}
	s.line("")
	run := time.Now().Format("150405")
	wrong, err := s.askAll(ctx, asker, run)
	if err != nil {
		return err
	}
	if err := s.playChanges(ctx, asker, run); err != nil {
		return err
	}
	s.line("%s", s.paint(bold, "3 changes: one done, one undone, one refused. Nothing was changed that somebody else had not agreed to."))
	if os.Getenv("KEEP") != "" {
		s.goOn()
		<-ctx.Done()
	} else {
		s.line("Everything is stopped and removed now. %s keeps it up, to go on by hand.", s.paint(bold, "KEEP=1 make demo"))
	}
	if wrong > 0 {
		return fmt.Errorf("%d answers are wrong", wrong)
	}
	return nil
}

// askAll puts every question, one after the other, and returns how many answers are wrong.
func (s *stage) askAll(ctx context.Context, asker *local.Asker, run string) (wrong int, err error) {
	var asked int
	var slowest time.Duration
	for number, part := range parts {
		s.title(fmt.Sprintf("%d. %s: %s", number+1, part.workload, part.title))
		for turn, question := range part.questions {
			s.question(question)
			name := fmt.Sprintf("demo-%s-%s-%d", run, part.workload, turn+1)
			task, took, err := askOnce(ctx, asker, name, question)
			if err != nil {
				return wrong, err
			}
			complaint := part.want.judge(task)
			if complaint != "" {
				wrong++
			}
			s.answer(local.Headline(task), task, took, complaint)
			asked, slowest = asked+1, max(slowest, took)
		}
	}
	s.line("%s", s.paint(bold, fmt.Sprintf("%d questions, %d right answers, the slowest after %s.\n", asked, asked-wrong, seconds(slowest))))
	return wrong, nil
}

func askOnce(ctx context.Context, asker *local.Asker, name, question string) (*v1alpha1.AgentTask, time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return asker.Ask(ctx, shop, name, question)
}

// goOn says how to continue by hand while everything is up.
func (s *stage) goOn() {
	s.line("")
	s.title("Go on by hand, in another terminal:")
	s.byHand(filepath.Join(s.root, "bin"))
	s.line("  kubectl get agenttasks -n %s", shop)
	s.line("  kubectl eclusier ask -n %s --wait \"Why does web not start?\"", shop)
	s.line("  kubectl eclusier diagnose -n %s", shop)
	s.line("  kubectl eclusier change scale deployment/payment --replicas 3 -n %s --reason \"more visitors\" --as dora", shop)
	s.line("  kubectl get chg,apv -n %s", shop)
	s.line("\n%s", s.paint(dim, "Ctrl-C stops and removes everything."))
}

// byHand prints what a terminal needs to reach the cluster with kubectl and its plugin.
func (s *stage) byHand(bin string) {
	s.line("  export KUBECONFIG=%s", s.kubectl.Kubeconfig)
	s.line("  export PATH=%s:%s:$PATH", bin, filepath.Dir(s.kubectl.Path))
}

// cluster keeps a control plane with CRDs, roles and policies in the foreground.
func cluster(ctx context.Context, screen *screen) error {
	s, err := newStage(screen)
	if err != nil {
		return err
	}
	defer s.close()
	if err := os.Unsetenv("KUBECONFIG"); err != nil {
		return err
	}
	s.title("A local control plane with eclusier's CRDs, roles and policies")
	if err := s.openCluster(ctx); err != nil {
		return err
	}
	if err := s.install(ctx); err != nil {
		return err
	}
	s.line("")
	s.title("In another terminal:")
	s.byHand(filepath.Join(s.root, "bin"))
	s.line("  make run                      # the operator, in a terminal of its own")
	s.line("  kubectl create namespace shop && kubectl apply -k config/tenant")
	s.line("  kubectl eclusier ask -n shop --wait \"Is anything wrong?\"")
	s.line("\n%s", s.paint(dim, "Ctrl-C stops and removes everything."))
	<-ctx.Done()
	return nil
}

// findKubectl returns the user's own kubectl and, where there is none, that of the control plane.
func findKubectl(ctx context.Context, root string) (string, error) {
	if own, err := exec.LookPath("kubectl"); err == nil {
		return own, nil
	}
	assets, err := local.BuildAssets(ctx, root)
	return filepath.Join(assets, "kubectl"), err
}

// operate runs the operator in the foreground against the cluster of KUBECONFIG, as its own service account.
func operate(ctx context.Context) error {
	if os.Getenv("KUBECONFIG") == "" {
		return errors.New("KUBECONFIG is not set: `make cluster` prints one, or set your own and run `make install` first")
	}
	s, err := newStage(newScreen(os.Stderr))
	if err != nil {
		return err
	}
	defer s.close()
	if s.kubectl.Path, err = findKubectl(ctx, s.root); err != nil {
		return err
	}
	if err := s.visit(ctx); err != nil {
		return err
	}
	cmd, operator, err := local.OperatorCommand(ctx, s.kubectl, filepath.Join(s.root, "bin", "eclusier-operator"), s.dir)
	if err != nil {
		return fmt.Errorf("is it installed (make install)? %w", err)
	}
	s.line("  metrics at http://%s/metrics, probes at http://%s/readyz", operator.Metrics, operator.Probes)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		<-ctx.Done()
		_ = cmd.Process.Signal(os.Interrupt)
	}()
	return cmd.Wait()
}
