package diagnose

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var namespaceStuck = cause{
	id: "NamespaceStuckTerminating", severity: Medium,
	check: func(x *exam) {
		for _, n := range x.snap.Namespaces {
			if n.DeletionTimestamp != nil && x.now.Sub(n.DeletionTimestamp.Time) > stuckMemory {
				x.stuckNamespace(n)
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"NamespaceStuckTerminating.message":      "Namespace %[1]s was deleted %[2]s ago and cannot be emptied: %[3]s",
			"NamespaceStuckTerminating.fix":          "Remove what holds namespace %[1]s, not the finalizer of the namespace itself: what remains would be orphaned.",
			"NamespaceStuckTerminating.fixDiscovery": "Mend or remove the APIService that does not answer; namespace %[1]s goes by itself then. Do not remove the finalizer of the namespace.",
			"NamespaceStuckTerminating.unknown":      "its status does not say why",
		},
		french: map[string]string{
			"NamespaceStuckTerminating.message":      "Le namespace %[1]s a été supprimé il y a %[2]s et ne peut être vidé : %[3]s",
			"NamespaceStuckTerminating.fix":          "Retirez ce qui retient le namespace %[1]s, et non le finalizer du namespace lui-même : ce qui reste serait orphelin.",
			"NamespaceStuckTerminating.fixDiscovery": "Réparez ou retirez l'APIService qui ne répond pas ; le namespace %[1]s disparaîtra alors de lui-même. Ne retirez pas le finalizer du namespace.",
			"NamespaceStuckTerminating.unknown":      "son statut ne dit pas pourquoi",
		},
	},
}

// namespaceTroubles are the conditions that say why a namespace does not go, the most telling first.
var namespaceTroubles = []corev1.NamespaceConditionType{
	corev1.NamespaceDeletionDiscoveryFailure, corev1.NamespaceFinalizersRemaining, corev1.NamespaceContentRemaining,
	corev1.NamespaceDeletionContentFailure, corev1.NamespaceDeletionGVParsingFailure,
}

func (x *exam) stuckNamespace(n *corev1.Namespace) {
	r := ref("Namespace", "", n.Name)
	why, discovery := "", false
	f := Finding{Cause: "NamespaceStuckTerminating", Object: r, links: links{since: n.DeletionTimestamp.Time}}
	f.Evidence = append(f.Evidence, field(r, "metadata.deletionTimestamp", n.DeletionTimestamp.UTC().Format(time.RFC3339)))
	for _, t := range namespaceTroubles {
		for _, c := range n.Status.Conditions {
			if c.Type != t || c.Status != corev1.ConditionTrue {
				continue
			}
			if why == "" {
				why, discovery = c.Message, t == corev1.NamespaceDeletionDiscoveryFailure
			}
			f.Evidence = append(f.Evidence, field(r, "status.conditions["+string(t)+"].reason", c.Reason), field(r, "status.conditions["+string(t)+"].message", c.Message))
		}
	}
	if why == "" {
		why = x.say("NamespaceStuckTerminating.unknown")
	}
	f.Message = x.say("NamespaceStuckTerminating.message", n.Name, ago(x.now.Sub(n.DeletionTimestamp.Time)), why)
	f.Fix = x.say("NamespaceStuckTerminating.fix", n.Name)
	if discovery {
		f.Fix = x.say("NamespaceStuckTerminating.fixDiscovery", n.Name)
	}
	if discovery {
		f.Evidence = append(f.Evidence, x.deadServices()...)
	}
	f.Evidence = append(f.Evidence, x.remaining(n.Name)...)
	x.add(f)
}

// remaining cites up to three objects that are being deleted in a namespace and the finalizers that hold them.
func (x *exam) remaining(namespace string) []Evidence {
	var out []Evidence
	for _, kind := range sortedKinds(x.byKind) {
		for _, r := range x.byKind[kind] {
			o := x.objects[r]
			if r.Namespace == namespace && o.GetDeletionTimestamp() != nil && len(o.GetFinalizers()) > 0 && len(out) < 3 {
				out = append(out, field(r, "metadata.finalizers", strings.Join(o.GetFinalizers(), ", ")))
			}
		}
	}
	return out
}

// deadServices cites the APIServices that do not answer: discovery fails because of them.
func (x *exam) deadServices() []Evidence {
	var out []Evidence
	for _, o := range x.snap.Others {
		if o.GetKind() != "APIService" {
			continue
		}
		conditions, _, err := unstructured.NestedSlice(o.Object, "status", "conditions")
		if err != nil {
			continue
		}
		for _, c := range conditions {
			one, _ := c.(map[string]any)
			if one["type"] == "Available" && one["status"] == "False" {
				r := ref("APIService", "", o.GetName())
				out = append(out, field(r, "status.conditions[Available].reason", one["reason"]), field(r, "status.conditions[Available].message", one["message"]))
			}
		}
	}
	return out
}
