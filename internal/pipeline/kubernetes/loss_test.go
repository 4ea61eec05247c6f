package kubernetes_test

import (
	"strings"
	"testing"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
)

const (
	claim  = `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: precious, namespace: NS}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}`
	volume = `{apiVersion: v1, kind: PersistentVolume, metadata: {name: NS}, spec: {accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, persistentVolumeReclaimPolicy: Retain, csi: {driver: d.example.com, volumeHandle: v},
  claimRef: {namespace: NS, name: precious}}}`
	once = `{apiVersion: batch/v1, kind: Job, metadata: {name: once, namespace: NS}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: "a:1"}]}}}}`
	lone = `{apiVersion: v1, kind: Pod, metadata: {name: lone, namespace: NS, labels: {app: lone}}, spec: {containers: [{name: a, image: "a:1"}]}}`
)

// shrinking is a StatefulSet with three replicas and such a policy for its claims.
func shrinking(whenDeleted, whenScaled string) string {
	return strings.Replace(store, "replicas: 1", "replicas: 3, persistentVolumeClaimRetentionPolicy: {whenDeleted: "+whenDeleted+", whenScaled: "+whenScaled+"}", 1)
}

// TestPlan_losses: what lets a controller delete something is told from what does not.
func TestPlan_losses(t *testing.T) {
	patch := func(target, fields string) string {
		return "patch: {target: {" + target + "}, patch: '" + fields + "'}"
	}
	replicaSet := func(replicas string) string {
		return `apply: {manifest: {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: rs}, spec: {replicas: ` + replicas + `, selector: {matchLabels: {app: lone}}, template: {metadata: {labels: {app: lone}}, spec: {containers: [{name: a, image: "a:1"}]}}}}}`
	}
	const sts, job, pod = "kind: sts, name: store", "kind: Job, name: once", "kind: Pod, name: lone"
	tests := []struct {
		name, have, operation string
		want                  change.Loss
	}{
		{"a StatefulSet that shrinks and keeps no claims", shrinking("Retain", "Delete"), `scale: {target: {kind: sts, name: store}, replicas: 1}`, change.LossClaims},
		{"the same by a patch", shrinking("Retain", "Delete"), patch(sts, `{spec: {replicas: 2}}`), change.LossClaims},
		{"one that shrinks while it begins to keep them", shrinking("Retain", "Delete"), patch(sts, `{spec: {replicas: 2, persistentVolumeClaimRetentionPolicy: {whenScaled: Retain}}}`), change.LossClaims},
		{"one that grows", shrinking("Retain", "Delete"), `scale: {target: {kind: sts, name: store}, replicas: 4}`, ""},
		{"one that shrinks and keeps its claims", shrinking("Delete", "Retain"), `scale: {target: {kind: sts, name: store}, replicas: 1}`, ""},
		{"one that keeps them no longer when it is deleted", shrinking("Retain", "Retain"), patch(sts, `{spec: {persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}}}`), change.LossClaims},
		{"one that keeps them no longer when it shrinks", shrinking("Retain", "Retain"), patch(sts, `{spec: {persistentVolumeClaimRetentionPolicy: {whenScaled: Delete}}}`), change.LossClaims},
		{"one that keeps them from now on", shrinking("Delete", "Delete"), patch(sts, `{spec: {persistentVolumeClaimRetentionPolicy: {whenDeleted: Retain, whenScaled: Retain}}}`), ""},
		{"a volume that is deleted with its claim", volume, patch("kind: pv, name: NS", `{spec: {persistentVolumeReclaimPolicy: Delete}}`), change.LossData},
		{"a volume that is taken from its claim", volume, patch("kind: pv, name: NS", `{spec: {claimRef: null}}`), change.LossData},
		{"a volume with a label", volume, patch("kind: pv, name: NS", `{metadata: {labels: {a: b}}}`), ""},
		{"a Job that is deleted once it has ended", once, patch(job, `{spec: {ttlSecondsAfterFinished: 0}}`), change.LossObject},
		{"a Job with a deadline", once, patch(job, `{spec: {activeDeadlineSeconds: 1}}`), change.LossObject},
		{"a Job with a label", once, patch(job, `{metadata: {labels: {a: b}}}`), ""},
		{"a pod with a deadline", lone, patch(pod, `{spec: {activeDeadlineSeconds: 1}}`), change.LossObject},
		{"a pod of nobody with another label", lone, patch(pod, `{metadata: {labels: {app: web}}}`), change.LossPods},
		{"a pod of nobody with another annotation", lone, patch(pod, `{metadata: {annotations: {a: b}}}`), ""},
		{"a CronJob that keeps fewer runs", nightly, patch("kind: cj, name: nightly", `{spec: {successfulJobsHistoryLimit: 0}}`), change.LossHistory},
		{"a CronJob that keeps more runs", nightly, patch("kind: cj, name: nightly", `{spec: {successfulJobsHistoryLimit: 9}}`), ""},
		{"a CronJob whose runs end those before them", nightly, patch("kind: cj, name: nightly", `{spec: {concurrencyPolicy: Replace}}`), change.LossData},
		{"a Deployment that keeps fewer revisions", web, patch("kind: Deployment, name: web", `{spec: {revisionHistoryLimit: 0}}`), change.LossHistory},
		{"a node that bears its pods no longer", `{apiVersion: v1, kind: Node, metadata: {name: node-NS}}`, patch("kind: Node, name: node-NS", `{spec: {taints: [{key: a, effect: NoExecute}]}}`), change.LossPods},
		{"a node that takes no new pods", `{apiVersion: v1, kind: Node, metadata: {name: node-NS}}`, patch("kind: Node, name: node-NS", `{spec: {taints: [{key: a, effect: NoSchedule}]}}`), ""},
		{"a ReplicaSet that takes over pods of nobody", lone, replicaSet("0"), change.LossPods},
		{"a ReplicaSet that finds none", web, replicaSet("0"), ""},
		{"an object as it is", shrinking("Delete", "Delete"), `scale: {target: {kind: sts, name: store}, replicas: 3}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			s.have(tt.have)
			p := s.plan(strings.ReplaceAll(tt.operation, "NS", s.namespace))
			if got := p.Plan.Effects[0].Destroys; got != tt.want {
				t.Errorf("got %q, want %q\n%s", got, tt.want, p.View.Diff)
			}
			risk := change.Assess(p.Plan, p.View.Facts)
			if irreversible := risk.Reversibility == v1alpha1.Irreversible; irreversible != (tt.want != "") {
				t.Errorf("the risk is %+v", risk)
			}
			if said := strings.Contains(strings.Join(p.View.Notes, "\n"), "in consequence"); said != (tt.want != "") {
				t.Errorf("the notes are %q", p.View.Notes)
			}
		})
	}
}

// TestPlan_losesOnWhatComesBefore: the policy that one operation sets is in force for the next.
func TestPlan_losesOnWhatComesBefore(t *testing.T) {
	s := newStage(t)
	s.have(shrinking("Retain", "Retain"))
	p := s.plan(`patch: {target: {kind: sts, name: store}, patch: '{spec: {persistentVolumeClaimRetentionPolicy: {whenScaled: Delete}}}'}`, `scale: {target: {kind: sts, name: store}, replicas: 0}`)
	for i, e := range p.Plan.Effects {
		if e.Destroys != change.LossClaims {
			t.Errorf("operation %d: %q", i+1, e.Destroys)
		}
	}
}

func TestPlan_deletionOfAnOwnerOfClaims(t *testing.T) {
	s := newStage(t)
	owner := s.have(cfg)[0]
	s.have(strings.Replace(claim, "namespace: NS", `namespace: NS, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: cfg, uid: `+string(owner.GetUID())+`}]`, 1))
	if p := s.plan(`delete: {target: {kind: cm, name: cfg}}`); !p.View.Facts[0].HoldsData {
		t.Errorf("got %+v", p.View.Facts)
	}
	if p := s.plan(`delete: {target: {kind: cm, name: cfg}, propagation: Orphan}`); p.View.Facts[0].HoldsData {
		t.Errorf("left behind: %+v", p.View.Facts)
	}
}
