package diagnose

import (
	"regexp"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var pvcMultiAttach = cause{
	id: "PVCMultiAttach", severity: High,
	check: func(x *exam) {
		for _, p := range x.placements() {
			if p.decisive == obstacleInUse {
				x.inUse(&p)
			}
		}
		for _, s := range x.open(notStarted) {
			for _, p := range s.pods {
				if e := x.lastEvent([]cluster.Ref{podRef(p)}, "FailedAttachVolume"); e != nil && strings.Contains(e.Message, "Multi-Attach") {
					x.add(x.attachedTwice(s, p, e))
					break
				}
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"PVCMultiAttach.message": "The volume of %[1]s can be used by one node at a time and is still attached for %[2]s",
			"PVCMultiAttach.fix":     "Let the former pod go first: for a Deployment with such a volume use the strategy Recreate, with one replica. Do not delete the claim or force-delete the former pod while its node may still write.",
			"PVCMultiAttach.other":   "another pod",
			"PVCMultiAttach.inUse":   "%[1]s can be used by one pod at a time and is in use by %[2]s, so the pods of %[3]s find no place",
			"PVCMultiAttach.fixUse":  "Let %[3]s work on a copy (a snapshot or clone of %[1]s), or stop %[2]s while it works. Do not delete the claim.",
		},
		french: map[string]string{
			"PVCMultiAttach.message": "Le volume de %[1]s n'est utilisable que par un nœud à la fois et reste attaché pour %[2]s",
			"PVCMultiAttach.fix":     "Laissez d'abord partir l'ancien pod : pour un Deployment avec un tel volume, utilisez la stratégie Recreate, avec un seul réplica. Ne supprimez pas le claim et ne forcez pas la suppression de l'ancien pod tant que son nœud peut encore écrire.",
			"PVCMultiAttach.other":   "un autre pod",
			"PVCMultiAttach.inUse":   "%[1]s n'est utilisable que par un pod à la fois et est utilisé par %[2]s, si bien que les pods de %[3]s ne trouvent pas de place",
			"PVCMultiAttach.fixUse":  "Faites travailler %[3]s sur une copie (un instantané ou un clone de %[1]s), ou arrêtez %[2]s entre-temps. Ne supprimez pas le claim.",
		},
	},
}

var usedBy = regexp.MustCompile(`used by pod\(s\) ([^\n]+?)\s*$`)

// attachedTwice names the pod that holds the volume. Where that pod's node is sick, the node is the cause.
func (x *exam) attachedTwice(s *symptom, p *corev1.Pod, e *cluster.Event) Finding {
	w := s.work
	f := Finding{Cause: "PVCMultiAttach", Object: w.ref, links: links{explains: []*symptom{s}}, Evidence: []Evidence{event(e)}}
	holder := x.volumeHolder(p, e.Message)
	who := x.say("PVCMultiAttach.other")
	if holder != nil {
		who = podRef(holder).String()
		f.Evidence = append(f.Evidence, field(podRef(holder), "spec.nodeName", holder.Spec.NodeName))
		f.links.needs = append(f.links.needs, ref("Node", "", holder.Spec.NodeName))
		if other := x.podWorkload[podRef(holder)]; other != nil && other != w {
			f.links.affects = append(f.links.affects, other.ref)
		}
	}
	x.citeClaims(&f, p)
	if d := get[*appsv1.Deployment](x.index, "Deployment", w.ref.Namespace, w.ref.Name); w.ref.Kind == "Deployment" && d != nil && d.Spec.Strategy.Type != "" {
		f.Evidence = append(f.Evidence, field(w.ref, "spec.strategy.type", d.Spec.Strategy.Type))
	}
	f.Message, f.Fix = x.say("PVCMultiAttach.message", w.ref.String(), who), x.say("PVCMultiAttach.fix")
	if w.ref.Kind == "Deployment" && holder != nil && x.podWorkload[podRef(holder)] == w {
		f.Operation = patchOperation(w.ref, "merge", map[string]any{"spec": map[string]any{
			"strategy": map[string]any{"type": "Recreate", "rollingUpdate": nil},
		}})
	}
	return f
}

// citeClaims adds the claims of a pod and how they may be accessed.
func (x *exam) citeClaims(f *Finding, p *corev1.Pod) {
	for _, v := range p.Spec.Volumes {
		if v.PersistentVolumeClaim == nil {
			continue
		}
		claim := ref("PersistentVolumeClaim", p.Namespace, v.PersistentVolumeClaim.ClaimName)
		f.links.affects = append(f.links.affects, claim)
		if c := get[*corev1.PersistentVolumeClaim](x.index, "PersistentVolumeClaim", claim.Namespace, claim.Name); c != nil {
			for _, mode := range c.Spec.AccessModes {
				f.Evidence = append(f.Evidence, field(claim, "spec.accessModes", mode))
			}
		}
	}
}

// volumeHolder is the pod that the event names, or another pod on another node that mounts the same claim.
func (x *exam) volumeHolder(p *corev1.Pod, message string) *corev1.Pod {
	if m := usedBy.FindStringSubmatch(message); m != nil {
		for _, name := range strings.FieldsFunc(m[1], func(r rune) bool { return r == ' ' || r == ',' }) {
			if holder := get[*corev1.Pod](x.index, "Pod", p.Namespace, lastPart(name)); holder != nil {
				return holder
			}
		}
	}
	for _, other := range x.podsByNS[p.Namespace] {
		if other == p || other.Spec.NodeName == "" || other.Spec.NodeName == p.Spec.NodeName || finished(other) {
			continue
		}
		if slices.ContainsFunc(other.Spec.Volumes, func(v corev1.Volume) bool {
			return v.PersistentVolumeClaim != nil && mounts(p, ref("PersistentVolumeClaim", other.Namespace, v.PersistentVolumeClaim.ClaimName))
		}) {
			return other
		}
	}
	return nil
}

// inUse names the claim of mode ReadWriteOncePod that a running pod holds.
func (x *exam) inUse(p *placement) {
	w := p.symptom.work
	for _, v := range p.pod.Spec.Volumes {
		if v.PersistentVolumeClaim == nil {
			continue
		}
		claim := ref("PersistentVolumeClaim", p.pod.Namespace, v.PersistentVolumeClaim.ClaimName)
		users := slices.DeleteFunc(x.claimMounters(claim), func(r cluster.Ref) bool { return r == w.ref })
		if len(users) == 0 {
			continue
		}
		f := x.unplaced("PVCMultiAttach", claim, p)
		f.Message = x.say("PVCMultiAttach.inUse", claim.String(), users[0].String(), w.ref.String())
		f.Fix = x.say("PVCMultiAttach.fixUse", claim.String(), users[0].String(), w.ref.String())
		f.Evidence = append(f.Evidence, field(w.ref, "spec.template.spec.volumes["+v.Name+"].persistentVolumeClaim.claimName", claim.Name))
		if c := get[*corev1.PersistentVolumeClaim](x.index, "PersistentVolumeClaim", claim.Namespace, claim.Name); c != nil {
			for _, mode := range c.Spec.AccessModes {
				f.Evidence = append(f.Evidence, field(claim, "spec.accessModes", mode))
			}
		}
		f.links.affects = append(f.links.affects, w.ref, users[0])
		x.add(f)
		return
	}
}
