package change

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

func operation(name v1alpha1.OperationName, verb Verb, kind string) Effect {
	return Effect{
		Operation: name, Verb: verb, Inverse: &Request{Kind: RequestApply},
		Object: Object{Kind: kind, Namespace: "shop", Name: "web"},
	}
}

func oneWay(e Effect) Effect {
	e.Inverse = nil
	return e
}

func remade(e Effect) Effect {
	e.Inverse = &Request{Kind: RequestNone}
	return e
}

func leaving(e Effect) Effect {
	e.Request.Propagation = "Orphan"
	return e
}

func losing(e Effect, what Loss) Effect {
	e.Destroys = what
	return e
}

func undried(e Effect) Effect {
	e.NotDryRun = "its webhook has side effects"
	return e
}

func replicas(from, to int32) RiskFacts { return RiskFacts{ReplicasFrom: &from, ReplicasTo: &to} }

func TestAssess(t *testing.T) {
	scale := operation("scale", VerbUpdate, "Deployment")
	apply, remove := operation("apply", VerbUpdate, "Deployment"), operation("delete", VerbDelete, "ConfigMap")
	inProduction := RiskFacts{Production: true}
	for _, tc := range []struct {
		name   string
		effect Effect
		facts  RiskFacts
		want   v1alpha1.Class
		says   string
		reason string
	}{
		{"one replica more", scale, replicas(2, 3), v1alpha1.ClassLow, "goes from 2 to 3 replicas", "a small step"},
		{"many replicas more", scale, replicas(2, 7), v1alpha1.ClassMedium, "a large step", "it may take what others need"},
		{"less than half of the replicas", scale, replicas(9, 4), v1alpha1.ClassMedium, "a large step", "what is left may not carry the load"},
		{"half of the replicas", scale, replicas(8, 4), v1alpha1.ClassLow, "goes from 8 to 4", "still a small step"},
		{"no replicas", scale, replicas(3, 0), v1alpha1.ClassMedium, "it stops serving", "nobody is served any more"},
		{"from nothing to some", scale, replicas(0, 3), v1alpha1.ClassLow, "goes from 0 to 3", "nobody was served before"},
		{"from nothing to many", scale, replicas(0, 40), v1alpha1.ClassMedium, "a large step", "it may take what others need"},
		{"numbers beyond 32 bits when doubled", scale, replicas(1<<31-1, 1<<30), v1alpha1.ClassLow, "replicas", "half is half"},
		{"an unknown number of replicas", scale, RiskFacts{}, v1alpha1.ClassMedium, "changes while it is in use", "what is not known is not small"},
		{"a scale in production", scale, RiskFacts{Production: true, ReplicasFrom: replicas(2, 3).ReplicasFrom, ReplicasTo: replicas(2, 3).ReplicasTo},
			v1alpha1.ClassHigh, "is in production", "production is never small"},
		{"an apply that changes more than the replicas", apply, replicas(2, 3), v1alpha1.ClassMedium, "changes while it is in use", "the number hides nothing else"},
		{"a restart", operation("restart", VerbUpdate, "Deployment"), RiskFacts{}, v1alpha1.ClassLow, "replaced one after the other", "it keeps serving"},
		{"another image", operation("setImage", VerbUpdate, "Deployment"), RiskFacts{}, v1alpha1.ClassMedium, "another version", "new code"},
		{"the former version", operation("undo", VerbUpdate, "Deployment"), RiskFacts{}, v1alpha1.ClassMedium, "another version", "other code"},
		{"a patch of what others follow", operation("patch", VerbUpdate, "Deployment"), RiskFacts{Dependents: 4}, v1alpha1.ClassMedium, "4 objects that follow it", "they follow"},
		{"more rights for pods", apply, RiskFacts{Privileged: true}, v1alpha1.ClassHigh, "more rights", "a way onto the node"},
		{"something new that is not shown", operation("apply", VerbCreate, "ConfigMap"), RiskFacts{NotShown: true}, v1alpha1.ClassHigh, "does not show", "nobody knows what it is"},
		{"something new with more rights", operation("apply", VerbCreate, "Deployment"), RiskFacts{Privileged: true, NewImage: true}, v1alpha1.ClassHigh, "more rights", "being new makes it no better"},
		{"something new that runs", operation("apply", VerbCreate, "Deployment"), RiskFacts{NewImage: true}, v1alpha1.ClassMedium, "did not run before", "new code, as another image is"},
		{"something new that reads a Secret", operation("apply", VerbCreate, "ExternalName"), RiskFacts{NewSecret: true}, v1alpha1.ClassMedium, "did not read before", "a secret has one reader more"},
		{"something new that is reached", operation("apply", VerbCreate, "Ingress"), RiskFacts{Exposed: true}, v1alpha1.ClassMedium, "reachable", "more people come to it"},
		{"something new", operation("apply", VerbCreate, "ConfigMap"), RiskFacts{}, v1alpha1.ClassLow, "is new", "nothing used it before"},
		{"something new that cannot be undone", oneWay(operation("apply", VerbCreate, "Job")), RiskFacts{}, v1alpha1.ClassMedium, "cannot be undone", "a class higher"},
		{"a deletion that can be undone", remove, RiskFacts{}, v1alpha1.ClassMedium, "is deleted", "somebody may use it"},
		{"a deletion that cannot be undone", oneWay(remove), RiskFacts{}, v1alpha1.ClassHigh, "cannot be undone", "a class higher"},
		{"a deletion with what it owns", operation("delete", VerbDelete, "Deployment"), RiskFacts{Dependents: 3}, v1alpha1.ClassMedium, "with 3 objects it owns", "they go along"},
		{"a deletion without what it owns", leaving(operation("delete", VerbDelete, "Deployment")), RiskFacts{Dependents: 3}, v1alpha1.ClassMedium, "3 objects it owns go on without it", "they run on"},
		{"a pod that is made anew", remade(operation("delete", VerbDelete, "Pod")), RiskFacts{}, v1alpha1.ClassLow, "its owner makes a new one", "a restart of one pod"},
		{"a pod that nobody makes anew", oneWay(operation("delete", VerbDelete, "Pod")), RiskFacts{}, v1alpha1.ClassHigh, "cannot be undone", "it is gone"},
		{"a deletion of data", operation("delete", VerbDelete, "PersistentVolumeClaim"), RiskFacts{HoldsData: true}, v1alpha1.ClassCritical, "destroys the data",
			"the manifest comes back, the data does not"},
		{"a deletion of a namespace", oneWay(operation("delete", VerbDelete, "Namespace")), RiskFacts{HoldsData: true, ClusterScoped: true, Dependents: 40},
			v1alpha1.ClassCritical, "takes 40 objects in it along", "all of it is gone"},
		{"a change of what holds data", operation("patch", VerbUpdate, "PersistentVolumeClaim"), RiskFacts{HoldsData: true}, v1alpha1.ClassMedium, "changes while it is in use", "nothing is deleted"},
		{"a scale that takes claims along", losing(scale, LossClaims), replicas(3, 2), v1alpha1.ClassCritical, "volume claims be deleted", "the number comes back, the data does not"},
		{"a volume that may be deleted", losing(operation("patch", VerbUpdate, "PersistentVolume"), LossData), RiskFacts{}, v1alpha1.ClassCritical, "cannot be undone", "the way back is too late"},
		{"a Job that ends", losing(operation("patch", VerbUpdate, "Job"), LossObject), RiskFacts{}, v1alpha1.ClassCritical, "ended or deleted", "its work is lost"},
		{"pods of nobody", losing(operation("apply", VerbCreate, "ReplicaSet"), LossPods), RiskFacts{}, v1alpha1.ClassCritical, "nobody may make anew", "being new makes it no better"},
		{"less history", losing(apply, LossHistory), RiskFacts{}, v1alpha1.ClassHigh, "former revisions", "there is less to go back to"},
		{"a loss of a sort that is not known", losing(apply, "Else"), RiskFacts{}, v1alpha1.ClassCritical, "cannot be undone", "what is not understood is not harmless"},
		{"a role", operation("apply", VerbUpdate, "ClusterRole"), RiskFacts{}, v1alpha1.ClassHigh, "decides who may do what", "rights lead everywhere"},
		{"a new binding", operation("apply", VerbCreate, "RoleBinding"), RiskFacts{}, v1alpha1.ClassHigh, "decides who may do what", "being new makes it no better"},
		{"a network policy", operation("delete", VerbDelete, "NetworkPolicy"), RiskFacts{}, v1alpha1.ClassHigh, "what may talk to what", "a wall comes down"},
		{"a network policy of a plugin", operation("apply", VerbUpdate, "CiliumNetworkPolicy"), RiskFacts{}, v1alpha1.ClassHigh, "what may talk to what", "the same wall"},
		{"a webhook", operation("patch", VerbUpdate, "ValidatingWebhookConfiguration"), RiskFacts{ClusterScoped: true}, v1alpha1.ClassHigh, "what the API server admits", "it stops everything or nothing"},
		{"a cluster-scoped object", operation("apply", VerbUpdate, "StorageClass"), RiskFacts{ClusterScoped: true}, v1alpha1.ClassHigh, "the whole cluster", "everybody shares it"},
		{"a node that takes no pods", operation("cordon", VerbUpdate, "Node"), RiskFacts{ClusterScoped: true, Dependents: 30}, v1alpha1.ClassMedium, "no new pods", "there may be too little room"},
		{"a node that takes pods again", operation("uncordon", VerbUpdate, "Node"), RiskFacts{ClusterScoped: true, Dependents: 30}, v1alpha1.ClassLow, "new pods again", "there is more room"},
		{"a held CronJob", operation("suspend", VerbUpdate, "CronJob"), RiskFacts{Dependents: 2}, v1alpha1.ClassLow, "is held", "its Jobs go on"},
		{"a held Job with pods", operation("suspend", VerbUpdate, "Job"), RiskFacts{Dependents: 2}, v1alpha1.ClassMedium, "ends the 2 pods", "their work is lost"},
		{"a Job that goes on", operation("resume", VerbUpdate, "Job"), RiskFacts{}, v1alpha1.ClassLow, "let go on", "it was wanted before"},
		{"a restart in the cluster's own namespace", operation("restart", VerbUpdate, "Deployment"), RiskFacts{System: true}, v1alpha1.ClassHigh, "the cluster itself depends on", "it may take the cluster down"},
		{"a restart in production", operation("restart", VerbUpdate, "Deployment"), inProduction, v1alpha1.ClassHigh, "is in production", "production is never small"},
		{"what could not be dry-run", undried(operation("apply", VerbCreate, "ConfigMap")), RiskFacts{}, v1alpha1.ClassMedium, "could not be dry-run: its webhook", "nobody has seen it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			risk := Assess(Plan{Effects: []Effect{tc.effect}}, []RiskFacts{tc.facts})
			if risk.Class != tc.want {
				t.Errorf("class = %s, want %s: %s (%s)", risk.Class, tc.want, tc.reason, risk.Reasons)
			}
			if !strings.Contains(strings.Join(risk.Reasons, "\n"), tc.says) {
				t.Errorf("%q does not say %q", risk.Reasons, tc.says)
			}
		})
	}
}

func TestAssess_wholePlan(t *testing.T) {
	restart, role := operation("restart", VerbUpdate, "Deployment"), oneWay(operation("apply", VerbUpdate, "Role"))
	many := func(n int, of func(i int) Effect) (p Plan, facts []RiskFacts) {
		for i := range n {
			p.Effects, facts = append(p.Effects, of(i)), append(facts, RiskFacts{})
		}
		return p, facts
	}
	numbered := func(i int) Effect {
		e := restart
		e.Object.Name = fmt.Sprint("web", i)
		return e
	}
	t.Run("nothing to do is no risk", func(t *testing.T) {
		risk := Assess(Plan{Effects: []Effect{{Verb: VerbNone, Object: Object{Kind: "ClusterRole"}}}}, nil)
		if risk.Class != v1alpha1.ClassLow || len(risk.Reasons) != 0 {
			t.Errorf("risk = %+v", risk)
		}
	})
	t.Run("one grave effect makes a grave plan, and is named first", func(t *testing.T) {
		risk := Assess(Plan{Effects: []Effect{restart, role}}, make([]RiskFacts, 2))
		want := v1alpha1.Risk{Class: v1alpha1.ClassCritical, Impact: v1alpha1.ImpactHigh, Reversibility: v1alpha1.Irreversible}
		if risk.Class != want.Class || risk.Impact != want.Impact || risk.Reversibility != want.Reversibility {
			t.Errorf("risk = %+v, want %+v", risk, want)
		}
		if len(risk.Reasons) < 2 || risk.Reasons[0] != "Role shop/web cannot be undone" || risk.Reasons[1] != "Role shop/web decides who may do what" {
			t.Errorf("reasons = %q", risk.Reasons)
		}
	})
	t.Run("an effect of which nothing is known is grave", func(t *testing.T) {
		if risk := Assess(Plan{Effects: []Effect{restart, numbered(1)}}, make([]RiskFacts, 1)); risk.Impact != v1alpha1.ImpactHigh {
			t.Errorf("risk = %+v", risk)
		}
	})
	t.Run("nine objects are few", func(t *testing.T) {
		if risk := Assess(many(9, numbered)); risk.Impact != v1alpha1.ImpactLow {
			t.Errorf("risk = %+v", risk)
		}
	})
	t.Run("ten objects are many", func(t *testing.T) {
		if risk := Assess(many(10, numbered)); risk.Impact != v1alpha1.ImpactHigh || risk.Reasons[0] != "10 objects are touched at once" {
			t.Errorf("risk = %+v", risk)
		}
	})
	t.Run("ten changes of one object are one object", func(t *testing.T) {
		if risk := Assess(many(10, func(int) Effect { return restart })); risk.Impact != v1alpha1.ImpactLow {
			t.Errorf("risk = %+v", risk)
		}
	})
	t.Run("more reasons than fit", func(t *testing.T) {
		risk := Assess(many(30, numbered))
		if len(risk.Reasons) != 20 || risk.Reasons[19] != "and 12 more reasons" {
			t.Errorf("%d reasons, the last %q", len(risk.Reasons), risk.Reasons[len(risk.Reasons)-1])
		}
	})
	t.Run("a longer reason than fits", func(t *testing.T) {
		long := undried(restart)
		long.NotDryRun = strings.Repeat("é", 600)
		reasons := Assess(Plan{Effects: []Effect{long}}, make([]RiskFacts, 1)).Reasons
		if got := utf8.RuneCountInString(reasons[0]); got != 512 {
			t.Errorf("%d characters", got)
		}
	})
}

// TestAssess_moreIsNeverLess proves that neither another effect nor another fact makes a plan less dangerous.
func TestAssess_moreIsNeverLess(t *testing.T) {
	classes := []v1alpha1.Class{v1alpha1.ClassLow, v1alpha1.ClassMedium, v1alpha1.ClassHigh, v1alpha1.ClassCritical}
	operations := []v1alpha1.OperationName{"apply", "patch", "scale", "restart", "setImage", "undo", "delete", "cordon", "uncordon", "suspend", "resume"}
	effect := rapid.Custom(func(t *rapid.T) Effect {
		e := operation(rapid.SampledFrom(operations).Draw(t, "operation"), rapid.SampledFrom([]Verb{VerbCreate, VerbUpdate, VerbDelete, VerbNone}).Draw(t, "verb"),
			rapid.SampledFrom([]string{"Deployment", "Role", "Node", "Job", "GlobalNetworkPolicy"}).Draw(t, "kind"))
		e.Object.Name = rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name")
		e.Destroys = rapid.SampledFrom([]Loss{"", "", "", LossHistory, LossClaims}).Draw(t, "loss")
		if rapid.Bool().Draw(t, "one way") {
			e = oneWay(e)
		}
		return e
	})
	facts := rapid.Custom(func(t *rapid.T) RiskFacts {
		f := RiskFacts{Dependents: rapid.IntRange(0, 3).Draw(t, "dependents"), HoldsData: rapid.Bool().Draw(t, "data")}
		if rapid.Bool().Draw(t, "counted") {
			n := replicas(rapid.Int32Range(0, 9).Draw(t, "from"), rapid.Int32Range(0, 9).Draw(t, "to"))
			f.ReplicasFrom, f.ReplicasTo = n.ReplicasFrom, n.ReplicasTo
		}
		return f
	})
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "effects")
		p := Plan{Effects: rapid.SliceOfN(effect, n, n).Draw(t, "plan")}
		known := rapid.SliceOfN(facts, n, n).Draw(t, "facts")
		less := Assess(p, known)
		graver := func(how string, p Plan, known []RiskFacts) {
			more := Assess(p, known)
			if slices.Index(classes, more.Class) < slices.Index(classes, less.Class) {
				t.Fatalf("%s makes %s of %s", how, more.Class, less.Class)
			}
		}
		graver("another effect", Plan{Effects: append(slices.Clone(p.Effects), effect.Draw(t, "another"))}, append(slices.Clone(known), facts.Draw(t, "its facts")))
		for how, mark := range map[string]func(*RiskFacts){
			"production": func(f *RiskFacts) { f.Production = true }, "a system namespace": func(f *RiskFacts) { f.System = true },
			"the cluster": func(f *RiskFacts) { f.ClusterScoped = true }, "more rights": func(f *RiskFacts) { f.Privileged = true },
			"what is not shown": func(f *RiskFacts) { f.NotShown = true }, "what is reached": func(f *RiskFacts) { f.Exposed = true }, "an image": func(f *RiskFacts) { f.NewImage = true }, "a Secret": func(f *RiskFacts) { f.NewSecret = true },
			"data": func(f *RiskFacts) { f.HoldsData = true }, "dependents": func(f *RiskFacts) { f.Dependents += 5 },
		} {
			marked := slices.Clone(known)
			mark(&marked[0])
			graver(how, p, marked)
		}
	})
}
