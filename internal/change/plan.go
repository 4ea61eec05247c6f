package change

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// planVersion names the canonical form of a plan. A change of the form is a change of the digest, so that nobody's
// consent is carried over to something that is computed in another way.
const planVersion = "eclusier.io/plan/v1"

// Verb is what an effect does to its object.
type Verb string

// Verbs of effects.
const (
	VerbCreate Verb = "Create"
	VerbUpdate Verb = "Update"
	VerbDelete Verb = "Delete"
	// VerbNone: the object is already as the operation wants it; nothing is sent.
	VerbNone Verb = "None"
)

// RequestKind is the form of the request that has the effect.
type RequestKind string

// Forms of requests.
const (
	// RequestApply is a server-side apply of Body.
	RequestApply RequestKind = "Apply"
	// RequestMergePatch, RequestJSONPatch and RequestStrategicPatch send Body as a patch.
	RequestMergePatch     RequestKind = "MergePatch"
	RequestJSONPatch      RequestKind = "JSONPatch"
	RequestStrategicPatch RequestKind = "StrategicPatch"
	// RequestScale sends Body as a merge patch to the scale subresource.
	RequestScale RequestKind = "Scale"
	// RequestCreate posts Body.
	RequestCreate RequestKind = "Create"
	// RequestReplace puts Body.
	RequestReplace RequestKind = "Replace"
	// RequestDelete deletes, with Propagation.
	RequestDelete RequestKind = "Delete"
	// RequestNone sends nothing. It is the inverse of a deletion that a controller makes good by itself.
	RequestNone RequestKind = "None"
)

// Object is the live object of an effect. UID is empty where it does not exist yet.
type Object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Resource   string `json:"resource"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	UID        string `json:"uid,omitempty"`
}

// Loss is what is deleted for good by an effect that is no deletion itself: by the garbage collector or a controller, in
// consequence of it, at once or later.
type Loss string

// Losses of effects.
const (
	// LossClaims: volume claims and what is stored on them.
	LossClaims Loss = "Claims"
	// LossData: what the object keeps, or stands for, such as a volume, once the object itself goes.
	LossData Loss = "Data"
	// LossObject: the object itself, or the work that it does.
	LossObject Loss = "Object"
	// LossPods: pods that nobody may make anew.
	LossPods Loss = "Pods"
	// LossHistory: finished runs or former revisions, which cannot be looked at or gone back to any more.
	LossHistory Loss = "History"
)

// Request is what is sent to the API server, byte for byte.
type Request struct {
	Kind         RequestKind `json:"kind"`
	Body         []byte      `json:"body,omitempty"`
	FieldManager string      `json:"fieldManager"`
	Force        bool        `json:"force,omitempty"`
	Propagation  string      `json:"propagation,omitempty"`
}

// Effect is one typed change of one object. All of it is covered by the digest.
type Effect struct {
	// Index is the place in the order of execution, from 0.
	Index     int                    `json:"index"`
	Operation v1alpha1.OperationName `json:"operation"`
	Verb      Verb                   `json:"verb"`
	Object    Object                 `json:"object"`
	Request   Request                `json:"request"`
	// After is the index of the latest earlier effect on the same object, on whose result this one builds; nil where there
	// is none.
	After *int `json:"after,omitempty"`
	// ResultHash is the SHA-256 of the normalised object that the dry run returned; empty for deletions and for what
	// could not be dry-run.
	ResultHash string `json:"resultHash,omitempty"`
	// NotDryRun says why there was no dry run; empty where there was one.
	NotDryRun string `json:"notDryRun,omitempty"`
	// Destroys is what goes for good with an effect that is no deletion; empty where nothing does.
	Destroys Loss `json:"destroys,omitempty"`
	// Inverse undoes the effect. Nil means that it cannot be undone.
	Inverse *Request `json:"inverse,omitempty"`
}

// Destructive says whether the effect deletes something, itself or in consequence.
func (e Effect) Destructive() bool {
	return e.Verb == VerbDelete || e.Verb != VerbNone && e.Destroys != ""
}

// Plan is what a change would do: all that consent binds to, and nothing else. No prose, no log and nothing random is
// part of it.
type Plan struct {
	// ChangeUID and Revision name the change.
	ChangeUID string `json:"changeUID"`
	Revision  int32  `json:"revision"`
	// Cluster is the uid of the namespace kube-system, which no other cluster has.
	Cluster string `json:"cluster"`
	// Class decides who may agree.
	Class v1alpha1.Class `json:"class"`
	// Effects are in the order of execution.
	Effects []Effect `json:"effects"`
	// Checks are made afterwards.
	Checks []v1alpha1.Check `json:"checks,omitempty"`
	// OnFailure says what happens if applying or checking fails.
	OnFailure v1alpha1.RollbackMode `json:"onFailure"`
	// ServiceAccount is whom the effects are made as, as namespace/name.
	ServiceAccount string `json:"serviceAccount"`
	// ServiceAccountUID is that account's: one that was deleted and made again is another. It is empty where the account may
	// not be looked at.
	ServiceAccountUID string `json:"serviceAccountUID,omitempty"`
	// ExpiresAt is when consent lapses, in whole seconds.
	ExpiresAt time.Time `json:"expiresAt"`
}

// notUTF8 is what JSON has in place of bytes that are not UTF-8. Texts that differ in such bytes would look the same, and
// so would plans.
const notUTF8 = `\ufffd`

// Digest is what people acknowledge: "sha256:" and the hexadecimal SHA-256 of the canonical form of the plan. Equal plans
// have equal digests, on every machine and at every time.
func (p Plan) Digest() (string, error) {
	p.ExpiresAt = p.ExpiresAt.UTC().Truncate(time.Second)
	if p.Effects == nil {
		p.Effects = []Effect{}
	}
	body, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("writing the plan in its canonical form: %w", err)
	}
	if bytes.Contains(bytes.ReplaceAll(body, []byte(`\\`), nil), []byte(notUTF8)) {
		return "", errors.New("writing the plan in its canonical form: a text in it is not UTF-8")
	}
	sum := sha256.New()
	sum.Write([]byte(planVersion + "\n"))
	sum.Write(body)
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)), nil
}

// Counts counts the objects that the plan touches.
func (p Plan) Counts() v1alpha1.EffectCounts {
	var c v1alpha1.EffectCounts
	for _, e := range p.Effects {
		switch e.Verb {
		case VerbCreate:
			c.Create++
		case VerbUpdate:
			c.Update++
		case VerbDelete:
			c.Delete++
		case VerbNone:
			c.Unchanged++
		}
	}
	return c
}

// Empty says that nothing would be sent.
func (p Plan) Empty() bool {
	return !slices.ContainsFunc(p.Effects, func(e Effect) bool { return e.Verb != VerbNone })
}

// MaxDiff is how long the diff of a plan may be, in characters, as Approvals hold it. What people cannot be shown they
// cannot agree to, so that a longer one is no plan.
const MaxDiff = 65536

// View is what is shown and kept beside a plan without being part of it.
type View struct {
	// Summary is the plan in a line.
	Summary string `json:"summary"`
	// Diff is the unified diff of every effect, in order, redacted. It is never longer than MaxDiff.
	Diff string `json:"diff"`
	// NotShown are the objects of which the diff hides something that the change sets, with what it hides.
	NotShown []string `json:"notShown,omitempty"`
	// Notes are what an approver should know: conflicts with other field managers, immutable fields that need delete and
	// recreate, objects that Argo CD or Flux manage, what could not be dry-run.
	Notes []string `json:"notes,omitempty"`
	// Before holds the objects as they were, by the index of the effect; nil where there was none, and where an earlier
	// effect on the same object has it. It is the snapshot.
	Before [][]byte `json:"before"`
	// After holds the objects as the dry run returned them, in their normal form, by the index of the effect; nil for
	// deletions and for what could not be dry-run.
	After [][]byte `json:"after,omitempty"`
	// Versions holds the resourceVersions of those objects, by the index of the effect.
	Versions []string `json:"versions"`
	// Facts are what the risk of each effect rests on, by the index of the effect.
	Facts []RiskFacts `json:"facts"`
	// Faults are what the diagnosis of the objects found before the change, where a check wants no new ones.
	Faults []string `json:"faults,omitempty"`
}

// RiskFacts is what is known of one effect beyond its type.
type RiskFacts struct {
	// ClusterScoped: the object has no namespace.
	ClusterScoped bool `json:"clusterScoped,omitempty"`
	// Production: the namespace or the object is labelled as production.
	Production bool `json:"production,omitempty"`
	// System: the namespace belongs to Kubernetes or to eclusier.
	System bool `json:"system,omitempty"`
	// Dependents is how many objects the object owns or holds, as far as it was counted: pods of a workload, objects of
	// a namespace, and so on.
	Dependents int `json:"dependents,omitempty"`
	// HoldsData: deleting it destroys data (a claim, a volume, a namespace, a custom resource definition …).
	HoldsData bool `json:"holdsData,omitempty"`
	// ReplicasFrom and ReplicasTo are set where the number of replicas changes.
	ReplicasFrom *int32 `json:"replicasFrom,omitempty"`
	ReplicasTo   *int32 `json:"replicasTo,omitempty"`
	// Privileged: the change widens what pods may do (host access, privileges, capabilities, another service account, a
	// restraint that goes); pods of something new are held against plain ones, of the account default.
	Privileged bool `json:"privileged,omitempty"`
	// Exposed: the change makes something reachable that was not, from outside the cluster or under another address.
	Exposed bool `json:"exposed,omitempty"`
	// NotShown: the change sets something that people do not see beforehand: what looks like a secret, or what only the API
	// server can tell.
	NotShown bool `json:"notShown,omitempty"`
	// NewImage: pods run an image that the object did not run before.
	NewImage bool `json:"newImage,omitempty"`
	// NewSecret: pods read a Secret that the object did not read before.
	NewSecret bool `json:"newSecret,omitempty"`
}
