package diagnose

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var terminatingFinalizer = cause{
	id: "TerminatingFinalizer", severity: Medium,
	check: func(x *exam) {
		for _, kind := range sortedKinds(x.byKind) {
			for _, r := range x.byKind[kind] {
				x.stuckObject(r, x.objects[r])
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"TerminatingFinalizer.message": "%[1]s was deleted %[2]s ago and cannot go before %[3]s withdraws its finalizer",
			"TerminatingFinalizer.fix":     "See why the controller behind %[2]s does not finish; it may be gone. Removing the finalizer of %[1]s by hand skips what it was to clean up: do that only when you know what remains.",
			"TerminatingFinalizer.inUse":   "%[1]s is being deleted and waits until no pod uses it any more (%[2]s)",
			"TerminatingFinalizer.fixUse":  "Stop the pods that use %[1]s (%[2]s); it goes by itself then. Do not remove its finalizer: the data would be pulled away from under them.",
		},
		french: map[string]string{
			"TerminatingFinalizer.message": "%[1]s a été supprimé il y a %[2]s et ne peut disparaître avant que %[3]s retire son finalizer",
			"TerminatingFinalizer.fix":     "Cherchez pourquoi le contrôleur derrière %[2]s n'aboutit pas ; il n'existe peut-être plus. Retirer le finalizer de %[1]s à la main saute ce qu'il devait nettoyer : ne le faites qu'en sachant ce qui restera.",
			"TerminatingFinalizer.inUse":   "%[1]s est en cours de suppression et attend qu'aucun pod ne l'utilise plus (%[2]s)",
			"TerminatingFinalizer.fixUse":  "Arrêtez les pods qui utilisent %[1]s (%[2]s) ; il disparaîtra alors de lui-même. Ne retirez pas son finalizer : les données leur seraient ôtées.",
		},
	},
}

// stuckMemory is how long a deletion may take before it counts as stuck.
const stuckMemory = 5 * time.Minute

func sortedKinds(m map[string][]cluster.Ref) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// stuckObject reports an object that is marked for deletion and held by a finalizer. Namespaces have a check of their
// own; objects of a namespace that is stuck are part of its story.
func (x *exam) stuckObject(r cluster.Ref, o metav1.Object) {
	at := o.GetDeletionTimestamp()
	if at == nil || !x.heldByItself(r, o) || x.now.Sub(at.Time) < stuckMemory && !x.asksAbout(r) {
		return
	}
	finalizers := o.GetFinalizers()
	f := Finding{
		Cause: "TerminatingFinalizer", Object: r, links: links{since: at.Time},
		Message:  x.say("TerminatingFinalizer.message", r.String(), ago(x.now.Sub(at.Time)), strings.Join(finalizers, ", ")),
		Fix:      x.say("TerminatingFinalizer.fix", r.String(), strings.Join(finalizers, ", ")),
		Evidence: []Evidence{field(r, "metadata.deletionTimestamp", at.UTC().Format(time.RFC3339)), field(r, "metadata.finalizers", strings.Join(finalizers, ", "))},
	}
	if e := x.lastEvent([]cluster.Ref{r}); e != nil && e.Warning {
		f.Evidence = append(f.Evidence, event(e))
	}
	if r.Kind == "PersistentVolumeClaim" && slices.Contains(finalizers, "kubernetes.io/pvc-protection") {
		x.claimInUse(&f, r)
	}
	for _, s := range x.open(undeleted) {
		if slices.ContainsFunc(podRefs(s.pods), func(p cluster.Ref) bool { return p == r }) {
			f.links.explains = append(f.links.explains, s)
		}
	}
	x.add(f)
}

// heldByItself says that an object has finalizers and neither is a namespace nor goes with its namespace.
func (x *exam) heldByItself(r cluster.Ref, o metav1.Object) bool {
	n := get[*corev1.Namespace](x.index, "Namespace", "", r.Namespace)
	return r.Kind != "Namespace" && len(o.GetFinalizers()) > 0 && (n == nil || n.DeletionTimestamp == nil)
}

// claimInUse tells of a claim that waits for the pods that mount it, if there are any.
func (x *exam) claimInUse(f *Finding, claim cluster.Ref) {
	users := x.claimMounters(claim)
	if len(users) == 0 {
		return
	}
	f.Message = x.say("TerminatingFinalizer.inUse", claim.String(), users[0].String())
	f.Fix = x.say("TerminatingFinalizer.fixUse", claim.String(), users[0].String())
	f.Evidence = append(f.Evidence, cite(FieldEvidence, users[0].String()+" spec.volumes", "claimName: "+claim.Name, 0))
	f.links.affects = users
}

func (x *exam) claimMounters(claim cluster.Ref) []cluster.Ref {
	var out []cluster.Ref
	for _, p := range x.podsByNS[claim.Namespace] {
		if !finished(p) && mounts(p, claim) && !slices.Contains(out, x.podWorkload[podRef(p)].ref) {
			out = append(out, x.podWorkload[podRef(p)].ref)
		}
	}
	return out
}

// ago words a duration in its two largest units, which every language reads.
func ago(d time.Duration) string {
	d = d.Round(time.Minute)
	if days := int(d.Hours()) / 24; days > 0 {
		return number(days) + "d" + number(int(d.Hours())%24) + "h"
	}
	return strings.TrimSuffix(d.String(), "0s")
}
