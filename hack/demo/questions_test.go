package main

import (
	"testing"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

func TestExpectation_judge(t *testing.T) {
	root := func(cause, kind, name string) v1alpha1.Finding {
		return v1alpha1.Finding{Role: v1alpha1.RoleRootCause, Cause: cause, Object: v1alpha1.ObjectReference{Kind: kind, Name: name}}
	}
	broken := expectation{v1alpha1.VerdictRootCauseFound, "OOMKilled", []string{"Deployment/cart"}}
	healthy := expectation{verdict: v1alpha1.VerdictNoFaultFound}
	for _, c := range []struct {
		name     string
		want     expectation
		verdict  v1alpha1.Verdict
		findings []v1alpha1.Finding
		right    bool
		reason   string
	}{
		{"the root cause is named", broken, v1alpha1.VerdictRootCauseFound, []v1alpha1.Finding{root("OOMKilled", "Deployment", "cart")}, true,
			"that is the answer"},
		{"a fault apart is reported too", broken, v1alpha1.VerdictRootCauseFound, []v1alpha1.Finding{root("OOMKilled", "Deployment", "cart"),
			{Role: v1alpha1.RoleIndependent, Cause: "ImageNotFound"}}, true, "it is not blamed"},
		{"another object is blamed", broken, v1alpha1.VerdictRootCauseFound, []v1alpha1.Finding{root("OOMKilled", "Deployment", "web")}, false,
			"a person would mend the wrong thing"},
		{"another cause is named", broken, v1alpha1.VerdictRootCauseFound, []v1alpha1.Finding{root("ImageNotFound", "Deployment", "cart")}, false,
			"a person would mend it in the wrong way"},
		{"something is blamed besides", broken, v1alpha1.VerdictRootCauseFound, []v1alpha1.Finding{root("OOMKilled", "Deployment", "cart"),
			root("OOMKilled", "Deployment", "web")}, false, "half an answer is wrong"},
		{"the verdict has no root cause", broken, v1alpha1.VerdictRootCauseFound, nil, false, "nothing is named"},
		{"no fault is found", broken, v1alpha1.VerdictNoFaultFound, nil, false, "there is one"},
		{"what is well is called well", healthy, v1alpha1.VerdictNoFaultFound, nil, true, "that is the answer"},
		{"what is well is blamed", healthy, v1alpha1.VerdictRootCauseFound, []v1alpha1.Finding{root("OOMKilled", "Deployment", "payment")}, false,
			"nothing is wrong with it"},
		{"there is no answer", healthy, "", nil, false, "no verdict is not a good one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			task := &v1alpha1.AgentTask{Status: v1alpha1.AgentTaskStatus{Verdict: c.verdict, Findings: c.findings}}
			if complaint := c.want.judge(task); (complaint == "") != c.right {
				t.Errorf("complaint %q, right should be %v: %s", complaint, c.right, c.reason)
			}
		})
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct{ text, want, reason string }{
		{"short", "short", "it fits"},
		{"two\nlines\tand  tabs", "two lin…", "white space is one blank, and what is cut says so"},
		{"été à l'été", "été à l…", "characters are counted, not bytes"},
	} {
		if got := clip(c.text, 8); got != c.want {
			t.Errorf("clip(%q) = %q, want %q: %s", c.text, got, c.want, c.reason)
		}
	}
}
