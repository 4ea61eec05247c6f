package replay

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/cluster"
)

// object is an object of an expectation.
type object struct {
	cluster.Ref `json:",inline"`
	Reason      string `json:"reason"`
}

// expectation is an expect.yaml; its fields are described in test/cases/scenarios/README.md.
type expectation struct {
	Verdict  string `json:"verdict"`
	Question string `json:"question"`
	Scope    struct {
		Namespace string `json:"namespace"`
		Workload  string `json:"workload"`
		Node      string `json:"node"`
	} `json:"scope"`
	RootCause         object   `json:"rootCause"`
	AlsoAccept        []object `json:"alsoAccept"`
	Symptoms          []object `json:"symptoms"`
	IndependentFaults []object `json:"independentFaults"`
	SecretCanaries    []string `json:"secretCanaries"`
}

var verdicts = map[string]v1alpha1.Verdict{
	"fault": v1alpha1.VerdictRootCauseFound, "healthy": v1alpha1.VerdictNoFaultFound, "inconclusive": v1alpha1.VerdictInconclusive,
}

func expected(t *testing.T, folder string) expectation {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "expect.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var e expectation
	if err := yaml.Unmarshal(data, &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// task is the AgentTask that asks the question, in the namespace that it is about.
func (e expectation) task(home string) *v1alpha1.AgentTask {
	task := &v1alpha1.AgentTask{ObjectMeta: metav1.ObjectMeta{Namespace: home, Name: "question"}}
	task.Spec.Prompt, task.Spec.Intent = e.Question, v1alpha1.IntentDiagnostic
	switch kind, name, found := strings.Cut(e.Scope.Workload, "/"); {
	case found:
		task.Spec.Targets = []v1alpha1.Target{{Kind: kind, Name: name}}
	case e.Scope.Node != "":
		task.Spec.Targets = []v1alpha1.Target{{Kind: "Node", Name: e.Scope.Node}}
	case e.Scope.Namespace != "":
		task.Spec.Targets = []v1alpha1.Target{{Kind: "Namespace", Name: e.Scope.Namespace}}
	}
	return task
}

// judge holds the status of the answered task against what is expected.
func (e expectation) judge(t *testing.T, task *v1alpha1.AgentTask) {
	t.Helper()
	status := task.Status
	if status.Verdict != verdicts[e.Verdict] {
		t.Errorf("verdict %q, want %q", status.Verdict, verdicts[e.Verdict])
	}
	roots := role(status, v1alpha1.RoleRootCause)
	if e.Verdict != "fault" {
		if len(roots) > 0 {
			t.Errorf("claims %s at %s though nothing can be claimed", roots[0].Cause, roots[0].Object.Name)
		}
	} else {
		e.judgeRoots(t, roots)
	}
	independent := role(status, v1alpha1.RoleIndependent)
	for _, want := range e.IndependentFaults {
		if !slices.ContainsFunc(independent, func(f v1alpha1.Finding) bool { return reference(f) == want.Ref }) {
			t.Errorf("does not report %s apart", want.Ref)
		}
	}
	whole, err := yaml.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range e.SecretCanaries {
		if strings.Contains(string(whole), secret) {
			t.Errorf("the task shows the secret %q", secret)
		}
	}
}

func (e expectation) judgeRoots(t *testing.T, roots []v1alpha1.Finding) {
	t.Helper()
	if len(roots) == 0 {
		t.Error("names no root cause")
		return
	}
	accepted := append([]object{e.RootCause}, e.AlsoAccept...)
	isAccepted := func(f v1alpha1.Finding) bool {
		return slices.ContainsFunc(accepted, func(o object) bool {
			reason := o.Reason
			if reason == "" {
				reason = e.RootCause.Reason
			}
			return reference(f) == o.Ref && f.Cause == reason
		})
	}
	if !isAccepted(roots[0]) {
		t.Errorf("names %s at %s first, want %s at %s", roots[0].Cause, reference(roots[0]), e.RootCause.Reason, e.RootCause.Ref)
	}
	for _, f := range roots {
		if slices.ContainsFunc(e.Symptoms, func(s object) bool { return reference(f) == s.Ref }) && !isAccepted(f) {
			t.Errorf("names the symptom %s as a root cause", reference(f))
		}
	}
}

func role(status v1alpha1.AgentTaskStatus, r v1alpha1.FindingRole) []v1alpha1.Finding {
	return slices.DeleteFunc(slices.Clone(status.Findings), func(f v1alpha1.Finding) bool { return f.Role != r })
}

func reference(f v1alpha1.Finding) cluster.Ref {
	return cluster.Ref{Kind: f.Object.Kind, Namespace: f.Object.Namespace, Name: f.Object.Name}
}
