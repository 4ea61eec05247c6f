package e2e

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/hack/local"
)

func TestDiagnosis_realFailures(t *testing.T) {
	t.Parallel()
	for _, d := range diagnoses {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
			defer cancel()
			openNamespace(ctx, t, d.name)
			manifests, err := os.ReadFile(filepath.Join("testdata", d.name+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := scene.kubectl.Feed(ctx, string(manifests), "apply", "--server-side", "-n", d.name, "-f", "-"); err != nil {
				t.Fatal(err)
			}
			if d.then != "" {
				await(ctx, t, d.name, available)
				if _, err := scene.kubectl.Run(ctx, append(strings.Fields(d.then), "-n", d.name)...); err != nil {
					t.Fatal(err)
				}
			}
			await(ctx, t, d.name, d.shows)
			time.Sleep(d.lasts)
			task, took, err := scene.asker.Ask(ctx, d.name, "question", d.question)
			if err != nil {
				t.Fatal(err)
			}
			if complaint := d.judge(task); complaint != "" {
				t.Errorf("%s: %s\n%s\n%s", d.reason, complaint, local.Headline(task), task.Status.Answer)
			}
			t.Logf("%s after %s", local.Headline(task), took.Round(time.Millisecond))
		})
	}
}

// judge returns what is wrong with the answer, or "".
func (d diagnosis) judge(task *v1alpha1.AgentTask) string {
	expected := v1alpha1.VerdictRootCauseFound
	if d.cause == "" {
		expected = v1alpha1.VerdictNoFaultFound
	}
	if task.Status.Verdict != expected {
		return "the verdict is " + string(task.Status.Verdict) + ", expected " + string(expected)
	}
	roots := slices.DeleteFunc(slices.Clone(task.Status.Findings), func(f v1alpha1.Finding) bool { return f.Role != v1alpha1.RoleRootCause })
	if d.cause == "" {
		if len(roots) > 0 {
			return "it blames " + roots[0].Object.Name + " though nothing is wrong"
		}
		return ""
	}
	if len(roots) == 0 {
		return "it names no root cause"
	}
	object := roots[0].Object.Kind + "/" + roots[0].Object.Name
	if roots[0].Cause != d.cause || !slices.Contains(d.objects, object) {
		return "it blames " + object + " for " + roots[0].Cause + ", expected " + d.cause + " of " + strings.Join(d.objects, " or ")
	}
	if len(roots[0].Evidence) == 0 {
		return "the root cause has no evidence"
	}
	return ""
}

// TestSamples_answered applies config/samples as its comment says; each question must get an answer.
func TestSamples_answered(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	root, err := local.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"hack/demo/shop", "config/samples"} {
		if _, err := scene.kubectl.Run(ctx, "apply", "--server-side", "-k", filepath.Join(root, folder)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := scene.kubectl.Run(ctx, "wait", "agenttasks", "--all", "-n", "shop", "--for=condition=Succeeded", "--timeout="+patience.String()); err != nil {
		tasks, _ := scene.kubectl.Run(ctx, "get", "agenttasks", "-n", "shop")
		t.Errorf("%v\n%s", err, tasks)
	}
}

// TestDiagnosis_operatorKilled asks while the operator is killed and started again: every question is answered once.
func TestDiagnosis_operatorKilled(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	const name = "killed"
	openNamespace(ctx, t, name)
	answers := make(chan *v1alpha1.AgentTask)
	const asked = 20
	for i := range asked {
		go func() {
			task, _, err := scene.asker.Ask(ctx, name, "question-"+string(rune('a'+i)), "Is anything wrong?")
			if err != nil {
				t.Error(err)
			}
			answers <- task
		}()
	}
	scene.operator.Kill()
	restartOperator(ctx, t)
	for range asked {
		task := <-answers
		if task != nil && task.Status.Verdict != v1alpha1.VerdictNoFaultFound {
			t.Errorf("%s: verdict %s, expected %s: an empty namespace is healthy", task.Name, task.Status.Verdict, v1alpha1.VerdictNoFaultFound)
		}
	}
}
