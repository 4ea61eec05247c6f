package diagnose

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/utils/ptr"

	"github.com/eclusier/eclusier/internal/cluster"
)

var pvcPending = cause{
	id: "PVCPendingNoStorageClass", severity: High,
	check: func(x *exam) {
		for _, c := range x.snap.Claims {
			if c.Status.Phase == corev1.ClaimPending && x.now.Sub(c.CreationTimestamp.Time) > settle/2 {
				x.claimPending(c)
			}
		}
		x.checkClaimsAbsent()
	},
	texts: texts{
		english: map[string]string{
			"PVCPendingNoStorageClass.message":   "%[1]s stays pending: its storage class %[2]s does not exist",
			"PVCPendingNoStorageClass.none":      "%[1]s stays pending: it names no storage class, and no class is the default",
			"PVCPendingNoStorageClass.fix":       "Create storage class %[1]s, or make the claim again with one that exists (%[2]s).",
			"PVCPendingNoStorageClass.fixNone":   "Make one storage class the default (annotation storageclass.kubernetes.io/is-default-class) or name one in the claim (%[1]s).",
			"PVCPendingNoStorageClass.noClasses": "there is none yet",
			"PVCProvisioningFailed.message":      "%[1]s stays pending: its provisioner cannot make a volume (%[2]s)",
			"PVCProvisioningFailed.fix":          "Solve what the provisioner of class %[1]s reports; the claim is tried again by itself. Deleting the claim would not help.",
			"PVCMissing.message":                 "%[1]s, which %[2]s mounts, does not exist",
			"PVCMissing.fix":                     "Create %[1]s or correct the name in %[2]s; which data it should hold cannot be known from here.",
		},
		french: map[string]string{
			"PVCPendingNoStorageClass.message":   "%[1]s reste en attente : sa classe de stockage %[2]s n'existe pas",
			"PVCPendingNoStorageClass.none":      "%[1]s reste en attente : il ne nomme aucune classe de stockage, et aucune n'est celle par défaut",
			"PVCPendingNoStorageClass.fix":       "Créez la classe de stockage %[1]s, ou recréez le claim avec une classe qui existe (%[2]s).",
			"PVCPendingNoStorageClass.fixNone":   "Déclarez une classe de stockage par défaut (annotation storageclass.kubernetes.io/is-default-class) ou nommez-en une dans le claim (%[1]s).",
			"PVCPendingNoStorageClass.noClasses": "il n'y en a encore aucune",
			"PVCProvisioningFailed.message":      "%[1]s reste en attente : son provisionneur ne peut créer de volume (%[2]s)",
			"PVCProvisioningFailed.fix":          "Résolvez ce que signale le provisionneur de la classe %[1]s ; le claim est réessayé de lui-même. Supprimer le claim n'aiderait pas.",
			"PVCMissing.message":                 "%[1]s, que %[2]s monte, n'existe pas",
			"PVCMissing.fix":                     "Créez %[1]s ou corrigez le nom dans %[2]s ; les données qu'il devrait contenir ne peuvent être connues d'ici.",
		},
	},
}

// claimPending says why a claim is not bound. One that waits for its first consumer is waited for, not at fault.
func (x *exam) claimPending(c *corev1.PersistentVolumeClaim) {
	r := ref("PersistentVolumeClaim", c.Namespace, c.Name)
	users := x.claimUsers(r)
	name := ptr.Deref(c.Spec.StorageClassName, "")
	failed := x.lastEvent([]cluster.Ref{r}, "ProvisioningFailed")
	f := Finding{Cause: "PVCPendingNoStorageClass", Object: r, links: links{explains: users}}
	f.Evidence = append(f.Evidence, field(r, "status.phase", c.Status.Phase))
	if failed != nil {
		f.Evidence = append(f.Evidence, event(failed))
	}
	switch {
	case name == "" && c.Spec.StorageClassName == nil && x.whole("storageclasses", "") && !x.hasDefaultClass():
		f.Message, f.Fix = x.say("PVCPendingNoStorageClass.none", r.String()), x.say("PVCPendingNoStorageClass.fixNone", x.classNames())
		f.Evidence = append(f.Evidence, cite(AbsenceEvidence, "StorageClasses", "no default StorageClass", 0))
		if e := x.lastEvent([]cluster.Ref{r}, "FailedBinding"); e != nil {
			f.Evidence = append(f.Evidence, event(e))
		}
	case name != "" && x.lacksClass(name, failed):
		f.Message = x.say("PVCPendingNoStorageClass.message", r.String(), name)
		f.Fix = x.say("PVCPendingNoStorageClass.fix", name, x.classNames())
		f.Evidence = append(f.Evidence, field(r, "spec.storageClassName", name))
		f.links.affects = append(f.links.affects, ref("StorageClass", "", name))
	case failed != nil && x.recent(failed.Last, crashMemory):
		f.Cause = "PVCProvisioningFailed"
		f.Message, f.Fix = x.say("PVCProvisioningFailed.message", r.String(), failed.Message), x.say("PVCProvisioningFailed.fix", name)
	default:
		return
	}
	f.Evidence = append(f.Evidence, x.unplacedEvidence(users)...)
	x.add(f)
}

// unplacedEvidence cites why those of the symptoms that have no node have none.
func (x *exam) unplacedEvidence(users []*symptom) []Evidence {
	var out []Evidence
	for _, s := range users {
		if s.kind == unscheduled {
			out = append(out, x.placementEvidence(&placement{pod: s.pod()})...)
		}
	}
	return out
}

// lacksClass says that a StorageClass does not exist, by itself or by the word of the event that a claim of it failed with.
func (x *exam) lacksClass(name string, failed *cluster.Event) bool {
	if get[*storagev1.StorageClass](x.index, "StorageClass", "", name) != nil {
		return false
	}
	return x.absent(ref("StorageClass", "", name)) || failed != nil && strings.Contains(failed.Message, "not found")
}

// claimUsers are the open symptoms of the pods that mount a claim.
func (x *exam) claimUsers(claim cluster.Ref) []*symptom {
	var out []*symptom
	for _, s := range x.open(unscheduled, notStarted) {
		if slices.ContainsFunc(s.pods, func(p *corev1.Pod) bool { return mounts(p, claim) }) {
			out = append(out, s)
		}
	}
	return out
}

func mounts(p *corev1.Pod, claim cluster.Ref) bool {
	return p.Namespace == claim.Namespace && slices.ContainsFunc(p.Spec.Volumes, func(v corev1.Volume) bool {
		return v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == claim.Name
	})
}

func (x *exam) hasDefaultClass() bool {
	return slices.ContainsFunc(x.snap.StorageClasses, func(c *storagev1.StorageClass) bool {
		return c.Annotations["storageclass.kubernetes.io/is-default-class"] == "true"
	})
}

func (x *exam) classNames() string {
	var out []string
	for _, c := range x.snap.StorageClasses {
		out = append(out, c.Name)
	}
	if len(out) == 0 {
		return x.say("PVCPendingNoStorageClass.noClasses")
	}
	slices.Sort(out)
	return strings.Join(out[:min(len(out), 5)], ", ")
}

// checkClaimsAbsent finds pods that mount a claim that does not exist.
func (x *exam) checkClaimsAbsent() {
	for _, s := range x.open(unscheduled, notStarted) {
		p := s.pod()
		for _, v := range p.Spec.Volumes {
			if v.PersistentVolumeClaim == nil {
				continue
			}
			r := ref("PersistentVolumeClaim", p.Namespace, v.PersistentVolumeClaim.ClaimName)
			if x.exists(r) || !x.absent(r) {
				continue
			}
			pl := placement{pod: p, symptom: s}
			x.add(Finding{
				Cause: "PVCMissing", Object: r, Absent: true, links: links{explains: []*symptom{s}},
				Message:  x.say("PVCMissing.message", r.String(), s.work.ref.String()),
				Fix:      x.say("PVCMissing.fix", r.String(), s.work.ref.String()),
				Evidence: append(x.placementEvidence(&pl), field(s.work.ref, "spec.template.spec.volumes["+v.Name+"].persistentVolumeClaim.claimName", r.Name)),
			})
		}
	}
}
