package agenttask

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/kube"
	"github.com/eclusier/eclusier/internal/redact"
	"github.com/eclusier/eclusier/internal/wish"
)

// reading is what the prompt says is to be changed.
type reading struct {
	wish wish.Wish
	err  error
}

// wished is the prompt as a wish, worked out once per pass.
func (p *pass) wished() reading {
	if p.wish == nil {
		said := reading{}
		said.wish, said.err = wish.Read(p.task.Spec.Prompt)
		p.wish = &said
	}
	return *p.wish
}

// wantsChange tells whether the task was taken for a wish to change something. What is found out later never makes it one.
func (p *pass) wantsChange() bool {
	sorted := p.task.Status.Classification
	return p.change() != nil || sorted != nil && sorted.InScope && sorted.Intent == v1alpha1.ClassifiedChange
}

// change is the change that the task proposed, nil if it has not yet.
func (p *pass) change() *v1alpha1.ProposedChange {
	if len(p.task.Status.ChangeRequests) == 0 {
		return nil
	}
	return &p.task.Status.ChangeRequests[0]
}

// wishedFor returns what a wish names.
func (p *pass) wishedFor(said wish.Wish) []wanted {
	var named []wanted
	for _, name := range said.Names() {
		query := cluster.Query{Kind: name.Kind, Namespace: name.Namespace, Name: name.Name, DefaultNamespace: p.task.Namespace}
		named = append(named, wanted{Query: query, source: v1alpha1.TargetFromPrompt})
	}
	return named
}

// propose makes the ChangeRequest that the wish is, once: what a pass that was cut off has made is found by its name.
func (p *pass) propose(ctx context.Context) error {
	operations, err := p.operations(ctx)
	if err != nil {
		return err
	}
	change := p.request(operations)
	if err := controllerutil.SetControllerReference(p.task, change, p.Client.Scheme()); err != nil {
		return err
	}
	err = p.Client.Create(ctx, change, kube.FieldOwner)
	switch {
	case fault.Is(err, fault.AlreadyExists):
		made, err := p.made(ctx)
		if err != nil {
			return err
		}
		if made == nil {
			return refuse(v1alpha1.ChangeProposedNameTaken, p.say(saidNameTaken, change.Name, p.task.Namespace), p.say(saidAskAgain))
		}
		change = made
	case fault.Is(err, fault.PermissionDenied), fault.Is(err, fault.InvalidInput):
		return refuse(v1alpha1.ChangeProposedRefused, p.say(saidChangeRefused, redact.String(err.Error()).String()), p.say(saidCheckInstall))
	case err != nil:
		return err
	}
	p.record(change)
	return nil
}

// record notes the change that was made for the task.
func (p *pass) record(change *v1alpha1.ChangeRequest) {
	p.task.Status.ChangeRequests = []v1alpha1.ProposedChange{{Name: change.Name, UID: string(change.UID)}}
}

// remember finds the change of a task that is about to end without one: a pass that was cut off may have made it, and its
// end is then the task's.
func (p *pass) remember(ctx context.Context) {
	if p.task.Spec.Intent == v1alpha1.IntentDiagnostic || p.wished().err != nil {
		return
	}
	made, err := p.made(ctx)
	switch {
	case err != nil:
		p.task.Status.Failure, p.task.Status.CompletedAt, p.lasting = nil, nil, true
		p.retry(fault.Of(err))
	case made != nil:
		p.task.Status.Failure, p.task.Status.CompletedAt, p.task.Status.Retry = nil, nil, nil
		p.record(made)
		p.await()
	}
}

// made returns the change that was made for the task, nil if there is none. It is read from the API server: the cache may
// not know yet what was written a moment ago.
func (p *pass) made(ctx context.Context) (*v1alpha1.ChangeRequest, error) {
	change := &v1alpha1.ChangeRequest{}
	err := p.Uncached.Get(ctx, client.ObjectKey{Namespace: p.task.Namespace, Name: p.changeName()}, change)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, nil //nolint:nilnil // there is none, which is no error
	case err != nil:
		return nil, err
	case !metav1.IsControlledBy(change, p.task):
		return nil, nil //nolint:nilnil // another's change is none of the task's
	}
	return change, nil
}

// changeName is the name that the task's change has in every pass: the task's, and what tells it from an earlier task of
// the same name.
func (p *pass) changeName() string {
	const room = 52
	sum := sha256.Sum256([]byte(p.task.UID))
	name := strings.ReplaceAll(p.task.Name, ".", "-")
	return strings.TrimRight(name[:min(len(name), room)], "-") + "-" + hex.EncodeToString(sum[:5])
}

// request is the ChangeRequest that some operations make.
func (p *pass) request(operations []v1alpha1.Operation) *v1alpha1.ChangeRequest {
	reason := strings.Join(strings.Fields(redact.String(p.task.Spec.Prompt).String()), " ")
	return &v1alpha1.ChangeRequest{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: p.task.Namespace, Name: p.changeName(),
			Annotations: map[string]string{kube.CorrelationAnnotation: p.task.Status.CorrelationID},
		},
		Spec: v1alpha1.ChangeRequestSpec{
			TaskRef:     &v1alpha1.LocalReference{Name: p.task.Name},
			Reason:      cut(reason, v1alpha1.MaxStatusText),
			RequestedBy: p.task.Spec.RequestedBy.DeepCopy(),
			Kubernetes:  v1alpha1.KubernetesChange{Operations: operations},
		},
	}
}

// operations turns the wish into operations on the objects that were found, or says why it cannot be.
func (p *pass) operations(ctx context.Context) ([]v1alpha1.Operation, error) {
	said := p.wished()
	if said.err != nil {
		return nil, p.inexpressible(said.err)
	}
	objects := wish.Objects{Home: p.task.Namespace}
	for _, target := range p.task.Status.Targets {
		if target.Source != v1alpha1.TargetFromNamespace {
			objects.All = append(objects.All, *target.Object)
		}
	}
	if said.wish.CountsReplicas() {
		snapshot, err := p.workloads(ctx, objects.All)
		if err != nil {
			return nil, err
		}
		objects.Replicas = func(o v1alpha1.ObjectReference) (int32, bool) { return replicas(snapshot, o) }
	}
	operations, err := said.wish.Operations(objects)
	if err != nil {
		return nil, p.inexpressible(err)
	}
	return operations, nil
}

// workloads reads objects as the task's account.
func (p *pass) workloads(ctx context.Context, objects []v1alpha1.ObjectReference) (*cluster.Snapshot, error) {
	reader, err := p.Readers.ReaderFor(p.account(), p.asked())
	if err != nil {
		return nil, err
	}
	var wants []cluster.Want
	for _, o := range objects {
		wants = append(wants, cluster.Want{What: cluster.WantObject, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name})
	}
	snapshot := &cluster.Snapshot{}
	if err := reader.Read(ctx, snapshot, wants); err != nil && !fault.Is(err, fault.PermissionDenied) {
		return nil, err
	}
	for _, gap := range snapshot.Gaps {
		if gap.Reason == cluster.GapUnavailable {
			return nil, fault.New(fault.Retry, fault.Unavailable, "the API server went away while it was read", errors.New(gap.Detail))
		}
	}
	return snapshot, nil
}

// replicas returns how many replicas an object of a snapshot is to have, and whether that is known.
func replicas(snapshot *cluster.Snapshot, o v1alpha1.ObjectReference) (int32, bool) {
	is := func(object metav1.Object, kind string) bool {
		return o.Kind == kind && object.GetNamespace() == o.Namespace && object.GetName() == o.Name
	}
	for _, d := range snapshot.Deployments {
		if is(d, "Deployment") {
			return ptr.Deref(d.Spec.Replicas, 1), true
		}
	}
	for _, s := range snapshot.StatefulSets {
		if is(s, "StatefulSet") {
			return ptr.Deref(s.Spec.Replicas, 1), true
		}
	}
	for _, s := range snapshot.ReplicaSets {
		if is(s, "ReplicaSet") {
			return ptr.Deref(s.Spec.Replicas, 1), true
		}
	}
	for _, c := range snapshot.Controllers {
		if is(c, "ReplicationController") {
			return ptr.Deref(c.Spec.Replicas, 1), true
		}
	}
	return 0, false
}

// inexpressible says why the wish is no operation that rules know, and what to write.
func (p *pass) inexpressible(err error) error {
	var why *wish.InexpressibleError
	if !errors.As(err, &why) {
		return err
	}
	if why.Reason == wish.TooWide {
		return refuse(v1alpha1.ChangeProposedNotExpressible, p.say(saidNotExpressible, p.say(saidTooWide, why.Detail)),
			p.say(saidWriteChange, p.changeExample(p.deletion(why.Detail))))
	}
	detail := cut(redact.String(why.Detail).String(), maxBrief)
	return refuse(v1alpha1.ChangeProposedNotExpressible, p.say(saidNotExpressible, p.say(whys[why.Reason], detail)),
		p.say(saidWriteWish, p.wishExample()), p.say(saidWriteChange, p.changeExample(p.restart())), p.say(saidAskWhatToChange))
}

// whys are the sentences for the reasons why a wish cannot be expressed.
var whys = map[wish.Reason]said{
	wish.NoOperation: saidNoOperation, wish.NotUnderstood: saidNotUnderstood, wish.Incomplete: saidIncomplete, wish.Ambiguous: saidTwoReadings,
	wish.Conditional: saidConditional, wish.Negated: saidNegated, wish.Asked: saidAsked, wish.Quoted: saidQuoted, wish.NoTarget: saidNoTarget,
	wish.OtherTarget: saidOtherTarget, wish.OtherNamespace: saidOtherNamespace, wish.KindNeeded: saidKindNeeded, wish.WrongKind: saidWrongKind,
	wish.TooWide:         saidTooWide,
	wish.ReplicasUnknown: saidReplicasUnknown, wish.TagNeeded: saidTagNeeded, wish.SameTwice: saidSameTwice, wish.TooLong: saidTooLong, wish.TooMany: saidTooMany,
}

// workload is the first target that can be restarted, or one that stands for any.
func (p *pass) workload() v1alpha1.ObjectReference {
	for _, target := range p.task.Status.Targets {
		switch target.Object.Kind {
		case "Deployment", "StatefulSet", "DaemonSet":
			return *target.Object
		}
	}
	return v1alpha1.ObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Namespace: p.task.Namespace, Name: "NAME"}
}

// wishExample is a wish that rules understand.
func (p *pass) wishExample() string {
	object := p.workload()
	return p.say(saidWishExample, strings.ToLower(object.Kind), object.Name, object.Namespace)
}

// restart is the operation that stands for any.
func (p *pass) restart() v1alpha1.Operation {
	object := p.workload()
	return v1alpha1.Operation{Restart: &v1alpha1.TargetOperation{Target: v1alpha1.OperationTarget{
		Kind: object.Kind, Namespace: object.Namespace, Name: object.Name}}}
}

// deletion is the operation that deletes the target of that description.
func (p *pass) deletion(description string) v1alpha1.Operation {
	deleted := v1alpha1.OperationTarget{}
	for _, target := range p.task.Status.Targets {
		if o := target.Object; o.Kind+" "+o.Name == description {
			deleted = v1alpha1.OperationTarget{APIVersion: o.APIVersion, Kind: o.Kind, Name: o.Name}
		}
	}
	return v1alpha1.Operation{Delete: &v1alpha1.DeleteOperation{Target: deleted}}
}

// changeExample is a command that creates a ChangeRequest.
func (p *pass) changeExample(operation v1alpha1.Operation) string {
	manifest := map[string]any{
		"apiVersion": v1alpha1.GroupVersion.String(), "kind": "ChangeRequest",
		"metadata": map[string]string{"generateName": "change-", "namespace": p.task.Namespace},
		"spec":     map[string]any{"reason": p.say(saidWhy), "kubernetes": v1alpha1.KubernetesChange{Operations: []v1alpha1.Operation{operation}}},
	}
	text, err := json.Marshal(manifest)
	if err != nil {
		return "docs/changerequest.md"
	}
	return fmt.Sprintf("echo '%s' | kubectl create -f -", text)
}
