package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// TestApproval_decidedWithKubectl decides in every way that kubectl has, as a person would.
func TestApproval_decidedWithKubectl(t *testing.T) {
	grant(t, "bob", "eclusier-approver-high")
	t.Setenv("KUBE_EDITOR", editor(t))
	bob := []string{"--as=bob", "--as-group=sre", "-n", "default"}
	patch := `{"spec":{"decision":"Approved","acknowledgedDigest":"` + digest + `"}}`
	cases := []struct {
		name string
		file func(*unstructured.Unstructured) *unstructured.Unstructured
		args []string
	}{
		{"patch", nil, []string{"patch", "approval", "asked", "--type=merge", "-p", patch}},
		{"patch of the short name", nil, []string{"patch", "apv", "asked", "--type=merge", "-p", patch}},
		{"JSON patch", nil, []string{"patch", "approval", "asked", "--type=json", "-p",
			`[{"op":"replace","path":"/spec/decision","value":"Approved"},{"op":"add","path":"/spec/acknowledgedDigest","value":"` + digest + `"}]`}},
		{"edit", nil, []string{"edit", "approval", "asked"}},
		{"apply", answerAlone, []string{"apply", "-f"}},
		{"server-side apply", answerAlone, []string{"apply", "--server-side", "--force-conflicts", "-f"}},
		{"replace", answerWithin, []string{"replace", "-f"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			object := asked(t, nil)
			args := slices.Concat(bob, tc.args)
			if tc.file != nil {
				args = append(args, written(t, tc.file(object)))
			}
			if err := cluster.kubectl(t.Context(), args...); err != nil {
				t.Fatal(err)
			}
			if err := admin(t).Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
				t.Fatal(err)
			}
			if textAt(object, "spec", "decision") != "Approved" || textAt(object, "spec", "decidedBy", "username") != "bob" {
				t.Errorf("spec = %v, want it approved by bob", object.Object["spec"])
			}
		})
	}
}

// editor is a program that changes the file as a person would; asked a second time, because the first answer was refused,
// it changes nothing, and kubectl gives up.
func editor(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "editor")
	script := "#!/bin/sh\nexec sed -i 's/^  decision: Pending$/  decision: Approved\\n  acknowledgedDigest: " + digest + "/' \"$1\"\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// answerAlone is a manifest with nothing but the answer.
func answerAlone(object *unstructured.Unstructured) *unstructured.Unstructured {
	answer := &unstructured.Unstructured{Object: fields{"spec": agrees()}}
	answer.SetGroupVersionKind(object.GroupVersionKind())
	answer.SetNamespace(object.GetNamespace())
	answer.SetName(object.GetName())
	return answer
}

// answerWithin is the whole object with the answer in it.
func answerWithin(object *unstructured.Unstructured) *unstructured.Unstructured {
	whole := object.DeepCopy()
	for name, value := range agrees() {
		whole.Object["spec"].(fields)[name] = value
	}
	return whole
}

func written(t *testing.T, object *unstructured.Unstructured) string {
	t.Helper()
	content, err := yaml.Marshal(object.Object)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "approval.yaml")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRefusals_asKubectlPrintsThem reads what a person reads.
func TestRefusals_asKubectlPrintsThem(t *testing.T) {
	grant(t, "alice", "eclusier-approver-high")
	asked(t, nil)
	patch := `{"spec":{"decision":"Approved","acknowledgedDigest":"` + digest + `"}}`
	err := cluster.kubectl(t.Context(), "--as=alice", "-n", "default", "patch", "approval", "asked", "--type=merge", "-p", patch)
	want := `Error from server (Forbidden): approvals.eclusier.io "asked" is forbidden: ValidatingAdmissionPolicy 'eclusier-check-approval' with binding ` +
		"'eclusier-check-approval' denied request: you asked for this change, so somebody else has to decide: to withdraw it, set spec.cancel of ChangeRequest scale-web"
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("kubectl says %v, want %s", err, want)
	}
}
