package diagnose

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/eclusier/eclusier/internal/cluster"
)

func TestSelectorMismatch(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.store()
	w.Services[0].Spec.Selector = map[string]string{"app": "store", "track": "stable"}
	w.ingress("store", 80)
	w.check(t, expected{cause: "SelectorMismatch", object: "Service/app/store", evidence: []string{"track: stable", "app: store"}})
}

func TestSelectorOfAServiceThatNobodyMissesIsNoFault(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.store()
	w.service("leftover", "10.96.7.8", intstr.FromInt32(8080))
	if r := w.ask(t, cluster.Ref{Kind: "Deployment", Namespace: "app", Name: "store"}); r.Verdict != NoFaultFound {
		t.Errorf("verdict %s: %s", r.Verdict, r.Summary)
	}
}
