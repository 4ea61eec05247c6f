package diagnose

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/eclusier/eclusier/internal/cluster"
)

var zoneVolumeConflict = cause{
	id: "ZoneVolumeConflict", severity: High,
	check: func(x *exam) {
		for _, p := range x.placements() {
			if p.decisive == obstacleVolume {
				x.add(x.volumeElsewhere(&p))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"ZoneVolumeConflict.message": "The volume of %[1]s can only be used in %[2]s, where no node takes the pods of %[3]s",
			"ZoneVolumeConflict.fix":     "Make a node in %[1]s available to %[2]s (capacity, taints, selectors), or move the data to a volume that can be used elsewhere. Do not delete the claim: its data would be lost.",
			"ZoneVolumeConflict.unknown": "A volume of %[1]s can only be used on nodes that do not take its pods",
			"ZoneVolumeConflict.fixAny":  "Compare the node affinity of the volumes of %[1]s with the nodes that are free. Do not delete a claim: its data would be lost.",
		},
		french: map[string]string{
			"ZoneVolumeConflict.message": "Le volume de %[1]s n'est utilisable que dans %[2]s, où aucun nœud n'accepte les pods de %[3]s",
			"ZoneVolumeConflict.fix":     "Rendez un nœud de %[1]s disponible pour %[2]s (place, taints, sélecteurs), ou déplacez les données vers un volume utilisable ailleurs. Ne supprimez pas le claim : ses données seraient perdues.",
			"ZoneVolumeConflict.unknown": "Un volume de %[1]s n'est utilisable que sur des nœuds qui n'acceptent pas ses pods",
			"ZoneVolumeConflict.fixAny":  "Comparez l'affinité de nœud des volumes de %[1]s avec les nœuds libres. Ne supprimez aucun claim : ses données seraient perdues.",
		},
	},
}

func (x *exam) volumeElsewhere(p *placement) Finding {
	w := p.symptom.work
	f := x.unplaced("ZoneVolumeConflict", w.ref, p)
	f.Message, f.Fix = x.say("ZoneVolumeConflict.unknown", w.ref.String()), x.say("ZoneVolumeConflict.fixAny", w.ref.String())
	f.Evidence = append(f.Evidence, selectorEvidence(w.ref, p.pod)...)
	f.links.needs = nil
	for _, v := range x.boundVolumes(p.pod) {
		where := volumeDomain(v)
		if where == "" {
			continue
		}
		claim := ref("PersistentVolumeClaim", v.Spec.ClaimRef.Namespace, v.Spec.ClaimRef.Name)
		f.Message = x.say("ZoneVolumeConflict.message", claim.String(), where, w.ref.String())
		f.Fix = x.say("ZoneVolumeConflict.fix", where, w.ref.String())
		f.links.affects = append(f.links.affects, claim)
		f.Evidence = append(f.Evidence, cite(FieldEvidence, "PersistentVolume "+v.Name+" spec.nodeAffinity", where, 0))
		f.links.needs = append(f.links.needs, x.nodesOf(v)...)
	}
	return f
}

// boundVolumes are the volumes of the claims of a pod.
func (x *exam) boundVolumes(p *corev1.Pod) []*corev1.PersistentVolume {
	var out []*corev1.PersistentVolume
	for _, v := range p.Spec.Volumes {
		if v.PersistentVolumeClaim == nil {
			continue
		}
		claim := get[*corev1.PersistentVolumeClaim](x.index, "PersistentVolumeClaim", p.Namespace, v.PersistentVolumeClaim.ClaimName)
		if claim == nil {
			continue
		}
		if pv := get[*corev1.PersistentVolume](x.index, "PersistentVolume", "", claim.Spec.VolumeName); pv != nil && pv.Spec.ClaimRef != nil {
			out = append(out, pv)
		}
	}
	return out
}

// volumeDomain says, as key in (values), on which nodes a volume can be used; empty means on all.
func volumeDomain(v *corev1.PersistentVolume) string {
	if v.Spec.NodeAffinity == nil || v.Spec.NodeAffinity.Required == nil {
		return ""
	}
	var terms []string
	for _, t := range v.Spec.NodeAffinity.Required.NodeSelectorTerms {
		for _, e := range t.MatchExpressions {
			terms = append(terms, e.Key+" "+string(e.Operator)+" ["+strings.Join(e.Values, ", ")+"]")
		}
	}
	return strings.Join(terms, "; ")
}

// nodesOf are the nodes on which a volume can be used: what ails them is why the pod has no place.
func (x *exam) nodesOf(v *corev1.PersistentVolume) []cluster.Ref {
	selector, err := nodeaffinity.NewNodeSelector(v.Spec.NodeAffinity.Required)
	if err != nil {
		return nil
	}
	fitting := slices.DeleteFunc(slices.Clone(x.snap.Nodes), func(n *corev1.Node) bool { return !selector.Match(n) })
	return nodeRefs(fitting)
}
