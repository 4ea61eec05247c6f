package diagnose

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var selectorMismatch = cause{
	id: "SelectorMismatch", severity: High,
	check: func(x *exam) {
		near := x.unserved()
		for _, r := range x.byKind["Service"] {
			s := get[*corev1.Service](x.index, "Service", r.Namespace, r.Name)
			if s == nil || len(s.Spec.Selector) == 0 || s.Spec.Type == corev1.ServiceTypeExternalName || s.DeletionTimestamp != nil {
				continue
			}
			if len(x.podsSelected(s.Namespace, s.Spec.Selector)) > 0 || len(x.workloadsSelected(s.Namespace, s.Spec.Selector)) > 0 || !x.whole("pods", s.Namespace) {
				continue
			}
			x.add(x.selectsNothing(s, x.meantBy(s, near[s.Namespace])))
		}
	},
	texts: texts{
		english: map[string]string{
			"SelectorMismatch.message": "%[1]s selects %[2]s, which no pod carries, so it has no endpoint; the pods of %[3]s carry %[4]s",
			"SelectorMismatch.nobody":  "%[1]s selects %[2]s, which no pod of its namespace carries, so it has no endpoint",
			"SelectorMismatch.fix":     "Let the selector of %[1]s name the labels of the pods of %[3]s (%[4]s), or give the pods back the label that it expects.",
			"SelectorMismatch.fixSee":  "Find out which workload %[1]s is for: its selector fits none. Either the workload is gone or the selector is wrong.",
		},
		french: map[string]string{
			"SelectorMismatch.message": "%[1]s sélectionne %[2]s, qu'aucun pod ne porte : il n'a donc aucun point d'accès ; les pods de %[3]s portent %[4]s",
			"SelectorMismatch.nobody":  "%[1]s sélectionne %[2]s, qu'aucun pod de son espace de noms ne porte : il n'a donc aucun point d'accès",
			"SelectorMismatch.fix":     "Faites correspondre le sélecteur de %[1]s aux étiquettes des pods de %[3]s (%[4]s), ou rendez aux pods l'étiquette attendue.",
			"SelectorMismatch.fixSee":  "Cherchez à quelle charge %[1]s est destiné : son sélecteur n'en désigne aucune. Soit la charge a disparu, soit le sélecteur est faux.",
		},
	},
}

// selectsNothing is the finding of a Service without pods. A Service that was made for no workload that exists counts
// only where somebody asks or misses it: it may have been left behind.
func (x *exam) selectsNothing(s *corev1.Service, meant *workload) Finding {
	r := ref("Service", s.Namespace, s.Name)
	f := Finding{Cause: "SelectorMismatch", Object: r}
	var wrong []string
	for _, k := range sortedKeys(s.Spec.Selector) {
		v := s.Spec.Selector[k]
		if meant == nil || meant.template.Labels[k] != v {
			wrong = append(wrong, k+"="+v)
		}
		f.Evidence = append(f.Evidence, entry(r, "spec.selector", k, v))
	}
	if e := x.endpointEvidence(r); e.Text != "" {
		f.Evidence = append(f.Evidence, e)
	}
	f.Evidence = append(f.Evidence, x.controllerLines(s.Namespace, s.Name)...)
	if meant == nil {
		f.links.onDemand = true
		f.Message = x.say("SelectorMismatch.nobody", r.String(), strings.Join(wrong, ","))
		f.Fix = x.say("SelectorMismatch.fixSee", r.String())
		return f
	}
	carried, patch := corrected(s.Spec.Selector, meant)
	for _, k := range sortedKeys(meant.template.Labels) {
		if !madeLabels[k] {
			f.Evidence = append(f.Evidence, entry(meant.ref, "spec.template.metadata.labels", k, meant.template.Labels[k]))
		}
	}
	f.links.affects = []cluster.Ref{meant.ref}
	f.Message = x.say("SelectorMismatch.message", r.String(), strings.Join(wrong, ","), meant.ref.String(), carried)
	f.Fix = x.say("SelectorMismatch.fix", r.String(), strings.Join(wrong, ","), meant.ref.String(), carried)
	f.Operation = patchOperation(r, "merge", map[string]any{"spec": map[string]any{"selector": patch}})
	return f
}

// corrected words the labels of a workload that a selector misses, and is the merge patch that repairs the selector.
func corrected(selector map[string]string, w *workload) (string, map[string]any) {
	var words []string
	patch := map[string]any{}
	for _, k := range sortedKeys(selector) {
		switch v, ok := w.template.Labels[k]; {
		case !ok:
			patch[k] = nil
		case v != selector[k]:
			patch[k] = v
			words = append(words, k+"="+v)
		}
	}
	if len(patch) == len(selector) && len(words) == 0 && w.selector != nil {
		for _, k := range sortedKeys(w.selector.MatchLabels) {
			patch[k] = w.selector.MatchLabels[k]
			words = append(words, k+"="+w.selector.MatchLabels[k])
		}
	}
	if len(words) == 0 {
		for _, k := range sortedKeys(w.template.Labels) {
			if !madeLabels[k] {
				words = append(words, k+"="+w.template.Labels[k])
			}
		}
	}
	return strings.Join(words, ","), patch
}

// meantBy guesses which workload a Service was made for: the one of its name, or the one whose labels come closest
// among those that no Service selects.
func (x *exam) meantBy(s *corev1.Service, unserved []*workload) *workload {
	for _, kind := range []string{"Deployment", "StatefulSet", "DaemonSet"} {
		if w := x.workloads[ref(kind, s.Namespace, s.Name)]; w != nil {
			return w
		}
	}
	var best *workload
	bestScore := 1
	for _, w := range unserved {
		if score := closeness(s, w); score > bestScore {
			best, bestScore = w, score
		}
	}
	return best
}

// closeness counts what the selector of a Service and the labels of a workload have in common.
func closeness(s *corev1.Service, w *workload) int {
	score := 0
	if partOf(s.Name, w.ref.Name) || partOf(w.ref.Name, s.Name) {
		score++
	}
	for k, v := range s.Spec.Selector {
		got, ok := w.template.Labels[k]
		if ok && (got == v || similar(v, []string{got}) == got) {
			score += 2
			continue
		}
		for _, other := range w.template.Labels {
			if !ok && other == v {
				score += 2
			}
		}
	}
	return score
}

// unserved are the workloads of each namespace that no Service selects.
func (x *exam) unserved() map[string][]*workload {
	served := map[*workload]bool{}
	for _, s := range x.snap.Services {
		for _, w := range x.workloadsSelected(s.Namespace, s.Spec.Selector) {
			served[w] = true
		}
	}
	out := map[string][]*workload{}
	for _, w := range x.workloadList {
		if !served[w] && w.ref.Kind != "Job" {
			out[w.namespace()] = append(out[w.namespace()], w)
		}
	}
	return out
}

// endpointEvidence cites that the slices of a Service hold no address.
func (x *exam) endpointEvidence(r cluster.Ref) Evidence {
	list := x.slices[r]
	if len(list) == 0 {
		return Evidence{}
	}
	for _, s := range list {
		if len(s.Endpoints) > 0 {
			return Evidence{}
		}
	}
	return cite(AbsenceEvidence, ref("EndpointSlice", r.Namespace, list[0].Name).String()+" endpoints", "endpoints: []", 0)
}
