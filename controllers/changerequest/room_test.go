package changerequest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/prometheus/client_golang/prometheus"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/audit"
	"github.com/eclusier/eclusier/internal/audit/audittest"
	"github.com/eclusier/eclusier/internal/guard"
	"github.com/eclusier/eclusier/internal/kube"
	"github.com/eclusier/eclusier/internal/pipeline"
	"github.com/eclusier/eclusier/internal/pipeline/pipelinetest"
	"github.com/eclusier/eclusier/internal/telemetry"
	"github.com/eclusier/eclusier/internal/transcript"
	"github.com/eclusier/eclusier/internal/transcript/transcripttest"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC) // a Monday

const operatorNamespace = "eclusier-system"

// errDead is what a process that was killed gets of everything it would still do.
var errDead = errors.New("the process was killed")

// room is everything around a reconciler: the namespace shop with the objects web (2 replicas), api (2) and db (1), an API
// server that counts writes and can kill the operator at any of them, and a clock that moves only as a test wants.
type room struct {
	*testing.T
	stored client.Client
	world  *pipelinetest.World
	plans  transcript.Store
	log    *audittest.Recorder
	guard  *vouching
	clock  *clocktesting.FakePassiveClock
	events *heard
	// writes counts everything that is stored or changed anywhere, events included.
	writes int
	kinds  []string
	// killAt is the write at which the process is killed, 0 for never: instead of it, or right after it if killAfter.
	killAt    int
	killAfter bool
	dead      bool
	// forbidden are those who may not approve any more.
	forbidden []string
	// lagging, if set, is what the cache shows of a change.
	lagging *v1alpha1.ChangeRequest
	failing map[string][]error
	*Reconciler
}

func newRoom(t *testing.T, objects ...client.Object) *room {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	r := &room{T: t, world: pipelinetest.New(), log: &audittest.Recorder{}, guard: &vouching{stamp: guard.StampByServer},
		events: &heard{}, clock: clocktesting.NewFakePassiveClock(noon), failing: map[string][]error{}}
	r.plans = transcripttest.Memory(r.clock.Now)
	r.world.Set("shop", "web", 2)
	r.world.Set("shop", "api", 2)
	r.world.Set("shop", "db", 1)
	r.world.Around = func(do func() error) error { return r.write("effect", do) }
	shop := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", Labels: map[string]string{"team": "shop"}}}
	r.stored = fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&v1alpha1.ChangeRequest{}, &v1alpha1.Approval{}).
		WithIndex(&v1alpha1.Approval{}, changeOf, IndexApproval).WithObjects(shop).WithObjects(objects...).Build()
	r.restart()
	return r
}

// restart replaces the reconciler, as a new process would.
func (r *room) restart() {
	r.dead, r.killAt, r.events.told = false, 0, func(string) { _ = r.write("event", func() error { return nil }) }
	counting := interceptor.NewClient(r.stored.(client.WithWatch), r.funcs())
	r.Reconciler = &Reconciler{
		Client: counting, Uncached: uncached{interceptor.NewClient(r.stored.(client.WithWatch), interceptor.Funcs{Get: r.getDead, List: r.list})},
		Pipeline: r.world, Plans: &countingStore{r.plans, r}, Audit: &countingLog{r.log, r}, Guard: r.guard,
		Events: kube.NewEvents(r.events), Clock: r.clock, Namespace: operatorNamespace,
		Metrics: telemetry.New(prometheus.NewRegistry()),
	}
}

func (r *room) funcs() interceptor.Funcs {
	return interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if requested, is := o.(*v1alpha1.ChangeRequest); is && r.lagging != nil && key.Name == r.lagging.Name {
				r.lagging.DeepCopyInto(requested)
				return nil
			}
			return r.getDead(ctx, c, key, o, opts...)
		},
		List: r.list,
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if review, is := o.(*authorizationv1.SubjectAccessReview); is {
				return r.review(review)
			}
			if o.GetUID() == "" {
				o.SetUID(types.UID("uid-of-" + o.GetName()))
			}
			o.SetCreationTimestamp(metav1.NewTime(r.clock.Now().Truncate(time.Second)))
			return r.write("create "+kindOf(o), func() error { return c.Create(ctx, o, opts...) })
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			return r.write("update "+kindOf(o), func() error { return c.Update(ctx, o, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return r.write("delete "+kindOf(o), func() error { return c.Delete(ctx, o, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			return r.write("status of "+kindOf(o), func() error { return c.SubResource(sub).Patch(ctx, o, p, opts...) })
		},
	}
}

func (r *room) getDead(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	if r.dead {
		return errDead
	}
	return c.Get(ctx, key, o, opts...)
}

func (r *room) list(ctx context.Context, c client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
	if r.dead {
		return errDead
	}
	return c.List(ctx, l, opts...)
}

func kindOf(o client.Object) string {
	return strings.TrimPrefix(fmt.Sprintf("%T", o), "*v1alpha1.")
}

func (r *room) review(review *authorizationv1.SubjectAccessReview) error {
	if r.dead {
		return errDead
	}
	a := review.Spec.ResourceAttributes
	if a.Verb != "approve" || a.Resource != "changeclasses" || a.Group != "eclusier.io" || a.Name != strings.ToLower(a.Name) || a.Namespace != "shop" {
		r.Errorf("a review of %+v", a)
	}
	review.Status.Allowed = !slices.Contains(r.forbidden, review.Spec.User)
	return nil
}

// write counts a write and lets it happen, unless the process is killed at it.
func (r *room) write(kind string, do func() error) error {
	if r.dead {
		return errDead
	}
	if next := r.failing[kind]; len(next) > 0 {
		r.failing[kind] = next[1:]
		if next[0] != nil {
			return next[0]
		}
	}
	r.writes++
	r.kinds = append(r.kinds, kind)
	if r.writes == r.killAt && !r.killAfter {
		r.dead = true
		return errDead
	}
	err := do()
	if apierrors.IsAlreadyExists(err) {
		r.writes, r.kinds = r.writes-1, r.kinds[:len(r.kinds)-1] // the API server stored nothing
		return err
	}
	if r.writes == r.killAt {
		r.dead = true
		return errDead
	}
	return err
}

// countingStore is a store of plans whose writes count.
type countingStore struct {
	transcript.Store
	room *room
}

func (s *countingStore) Put(ctx context.Context, key transcript.Key, holds []transcript.Object, content []byte) (ref string, err error) {
	err = s.room.write("plan", func() error { ref, err = s.Store.Put(ctx, key, holds, content); return err })
	return ref, err
}

// countingLog is an audit log that dies with the process.
type countingLog struct {
	audit.Log
	room *room
}

func (l *countingLog) Record(ctx context.Context, e audit.Entry) error {
	if l.room.dead {
		return errDead
	}
	return l.Log.Record(ctx, e)
}

// pass makes one pass and checks what must always be true of a change afterwards.
func (r *room) pass(name string) (*v1alpha1.ChangeRequest, ctrl.Result, error) {
	r.Helper()
	result, err := r.Reconcile(r.Context(), request(name))
	c := r.get(name)
	if err == nil && c != nil && !r.dead {
		check(r.T, c)
	}
	return c, result, err
}

// settle makes passes as the watches would: another one after each write, until the change rests. It returns when the
// change wants to be looked at again by itself.
func (r *room) settle(name string) (*v1alpha1.ChangeRequest, time.Duration) {
	r.Helper()
	for range 60 {
		before := r.writes
		c, result, err := r.pass(name)
		if r.dead {
			return c, 0
		}
		if err != nil {
			r.Fatalf("a pass failed: %v", err)
		}
		if c == nil || finished(c) || r.writes == before {
			return c, result.RequeueAfter
		}
	}
	r.Fatal("the change does not come to rest")
	return nil, 0
}

// wait moves the clock to when the change wants to be looked at, and settles it.
func (r *room) wait(name string, after time.Duration) (*v1alpha1.ChangeRequest, time.Duration) {
	r.Helper()
	if after <= 0 {
		r.Fatal("the change does not ask to be looked at again")
	}
	r.clock.SetTime(r.clock.Now().Add(after))
	return r.settle(name)
}

func (r *room) get(name string) *v1alpha1.ChangeRequest {
	r.Helper()
	c := &v1alpha1.ChangeRequest{}
	err := r.stored.Get(context.Background(), request(name).NamespacedName, c)
	if client.IgnoreNotFound(err) != nil {
		r.Fatal(err)
	}
	if err != nil {
		return nil
	}
	return c
}

func (r *room) approval(name string) *v1alpha1.Approval {
	r.Helper()
	apv := &v1alpha1.Approval{}
	if err := r.stored.Get(context.Background(), request(name).NamespacedName, apv); err != nil {
		r.Fatal(err)
	}
	return apv
}

// decide writes a decision into a slot, as a person whom the API server let through.
func (r *room) decide(name, who string, decision v1alpha1.Decision, changes ...func(*v1alpha1.Approval)) {
	r.Helper()
	apv := r.approval(name)
	apv.Spec.Decision = decision
	apv.Spec.DecidedBy = &v1alpha1.Decider{Username: who, Groups: []string{"system:authenticated"}}
	if decision == v1alpha1.DecisionApproved {
		apv.Spec.AcknowledgedDigest = apv.Spec.PlanDigest
	}
	for _, change := range changes {
		change(apv)
	}
	if err := r.stored.Update(context.Background(), apv); err != nil {
		r.Fatal(err)
	}
}

func (r *room) approve(name, who string) {
	r.Helper()
	r.decide(name, who, v1alpha1.DecisionApproved)
}

// edit changes a change's spec.
func (r *room) edit(name string, change func(*v1alpha1.ChangeRequest)) {
	r.Helper()
	c := r.get(name)
	change(c)
	c.Generation++
	if err := r.stored.Update(context.Background(), c); err != nil {
		r.Fatal(err)
	}
}

// forge changes a change's status, as somebody could while the admission policies are away.
func (r *room) forge(name string, change func(*v1alpha1.ChangeRequestStatus)) {
	r.Helper()
	c := r.get(name)
	change(&c.Status)
	if err := r.stored.Status().Update(context.Background(), c); err != nil {
		r.Fatal(err)
	}
}

func (r *room) create(objects ...client.Object) {
	r.Helper()
	for _, o := range objects {
		if err := r.stored.Create(context.Background(), o); err != nil {
			r.Fatal(err)
		}
	}
}

func (r *room) leases() []string {
	r.Helper()
	list := &coordinationv1.LeaseList{}
	if err := r.stored.List(context.Background(), list); err != nil {
		r.Fatal(err)
	}
	var holders []string
	for _, l := range list.Items {
		holders = append(holders, l.Annotations[holderAnnotation]+" holds "+l.Annotations[objectAnnotation])
	}
	return holders
}

// sent fails unless exactly these effects were had.
func (r *room) sent(want ...string) {
	r.Helper()
	if got := r.world.Sent(); !slices.Equal(got, want) {
		r.Errorf("effects %v, want %v", got, want)
	}
}

// ends fails unless the change ended with the result, under the reason.
func (r *room) ends(c *v1alpha1.ChangeRequest, result v1alpha1.ChangeResult, reason string) {
	r.Helper()
	root := condition(c, v1alpha1.ConditionSucceeded)
	if c.Status.Result != result || root.Reason != reason {
		raw, _ := json.MarshalIndent(c.Status, "", " ")
		r.Errorf("the change ended as %q under %q, want %q under %q: %s", c.Status.Result, root.Reason, result, reason, raw)
	}
	if held := r.leases(); len(held) > 0 {
		r.Errorf("after the end: %v", held)
	}
}

func request(name string) ctrl.Request {
	return ctrl.Request{NamespacedName: types.NamespacedName{Namespace: "shop", Name: name}}
}

func condition(c *v1alpha1.ChangeRequest, of string) metav1.Condition {
	if found := meta.FindStatusCondition(c.Status.Conditions, of); found != nil {
		return *found
	}
	return metav1.Condition{}
}

// scale builds a change that somebody asked for: web to 3 replicas, and so on for further pairs of name and number.
func scale(name string, changes ...func(*v1alpha1.ChangeRequest)) *v1alpha1.ChangeRequest {
	c := &v1alpha1.ChangeRequest{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID("uid-of-" + name), Generation: 1, CreationTimestamp: metav1.NewTime(noon)},
		Spec: v1alpha1.ChangeRequestSpec{Reason: "more visitors", RequestedBy: &v1alpha1.Requester{Username: "alice"}, Pipeline: v1alpha1.PipelineAuto,
			ServiceAccountName: "eclusier-applier", Rollback: v1alpha1.RollbackAutomatic, Delivery: v1alpha1.DeliveryAuto,
			Kubernetes: v1alpha1.KubernetesChange{Operations: []v1alpha1.Operation{to("web", 3)}}},
	}
	for _, change := range changes {
		change(c)
	}
	return c
}

func to(name string, replicas int32) v1alpha1.Operation {
	return v1alpha1.Operation{Scale: &v1alpha1.ScaleOperation{Target: v1alpha1.OperationTarget{Kind: "Deployment", Name: name}, Replicas: replicas}}
}

// three makes the change one of three operations.
func three(c *v1alpha1.ChangeRequest) {
	c.Spec.Kubernetes.Operations = []v1alpha1.Operation{to("web", 3), to("api", 4), to("db", 5)}
}

func onFailure(mode v1alpha1.RollbackMode) func(*v1alpha1.ChangeRequest) {
	return func(c *v1alpha1.ChangeRequest) { c.Spec.Rollback = mode }
}

// owners builds a policy for every namespace.
func owners(name string, changes ...func(*v1alpha1.ChangePolicySpec)) *v1alpha1.ChangePolicy {
	p := &v1alpha1.ChangePolicy{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-of-" + name), Generation: 1},
		Spec: v1alpha1.ChangePolicySpec{Quorum: 1, SelfApproval: v1alpha1.SelfApprovalForbid}}
	for _, change := range changes {
		change(&p.Spec)
	}
	return p
}

func quorum(n int32) func(*v1alpha1.ChangePolicySpec) {
	return func(s *v1alpha1.ChangePolicySpec) { s.Quorum = n }
}

func autonomous(s *v1alpha1.ChangePolicySpec) { s.Autonomy = v1alpha1.AutonomyMatrix }

// check is the status checker: what holds for every change after every pass.
func check(t *testing.T, c *v1alpha1.ChangeRequest) {
	t.Helper()
	s := c.Status
	root := meta.FindStatusCondition(s.Conditions, v1alpha1.ConditionSucceeded)
	if root == nil || s.Phase == "" || s.CorrelationID == "" || s.ObservedGeneration != c.Generation {
		t.Fatalf("the status is not whole: %+v", s)
	}
	for _, condition := range s.Conditions {
		if condition.Message == "" || condition.Reason == "" || strings.Contains(condition.Message, "%!") || condition.LastTransitionTime.IsZero() {
			t.Errorf("condition reads badly: %+v", condition)
		}
	}
	reconciling := meta.IsStatusConditionTrue(s.Conditions, v1alpha1.ConditionReconciling)
	stalled := meta.IsStatusConditionTrue(s.Conditions, v1alpha1.ConditionStalled)
	if reconciling && stalled || reconciling && finished(c) || finished(c) != (root.Status != metav1.ConditionUnknown) {
		t.Errorf("reconciling %t, stalled %t, finished %t, Succeeded %s", reconciling, stalled, finished(c), root.Status)
	}
	if finished(c) != (s.CompletedAt != nil) || (root.Status == metav1.ConditionFalse) != (finished(c) && s.Failure != nil) {
		t.Errorf("finished %t, completed %v, failure %+v, Succeeded %s", finished(c), s.CompletedAt, s.Failure, root.Status)
	}
	for _, a := range s.Attempts {
		if (a.Outcome == v1alpha1.OutcomeOpen) != (a.FinishedAt == nil) || finished(c) && a.Outcome == v1alpha1.OutcomeOpen {
			t.Errorf("the record %+v is not closed as it should be", a)
		}
	}
	checkKstatus(t, c, root, reconciling)
}

// checkKstatus asks the code that Flux, Argo CD and kubectl wait ask, or follow.
func checkKstatus(t *testing.T, c *v1alpha1.ChangeRequest, root *metav1.Condition, reconciling bool) {
	t.Helper()
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(c)
	if err != nil {
		t.Fatal(err)
	}
	computed, err := status.Compute(&unstructured.Unstructured{Object: fields})
	if err != nil {
		t.Fatal(err)
	}
	want := status.CurrentStatus
	switch {
	case reconciling:
		want = status.InProgressStatus
	case root.Status == metav1.ConditionFalse, root.Reason == v1alpha1.ApprovedIdentityGuardMissing:
		want = status.FailedStatus
	}
	if computed.Status != want {
		t.Errorf("kstatus says %s (%s), want %s", computed.Status, computed.Message, want)
	}
}

// summary is the conditions of a change in one line: a mark for the status, type and reason.
func summary(c *v1alpha1.ChangeRequest) string {
	var parts []string
	for _, condition := range c.Status.Conditions {
		mark := map[metav1.ConditionStatus]string{metav1.ConditionTrue: "+", metav1.ConditionFalse: "-", metav1.ConditionUnknown: "?"}[condition.Status]
		parts = append(parts, mark+condition.Type+"/"+condition.Reason)
	}
	return strings.Join(parts, " ")
}

// vouching is a double of the identity guard.
type vouching struct {
	problems []guard.Problem
	since    time.Time
	settling time.Duration
	stamp    guard.Stamp
	// lagging: the cache shows everything in place since ever.
	lagging bool
	err     error
}

func (v *vouching) Check(_ context.Context, reader client.Reader) (guard.Verdict, error) {
	if _, fresh := reader.(uncached); v.lagging && !fresh {
		return guard.Verdict{Stamp: v.stamp}, v.err
	}
	return guard.Verdict{Stamp: v.stamp, Problems: v.problems, Since: v.since, Settling: v.settling}, v.err
}

// uncached tells the reader past the cache from the cache.
type uncached struct{ client.Reader }

// heard remembers the events told.
type heard struct {
	events []string
	told   func(string)
}

func (h *heard) AnnotatedEventf(_, _ runtime.Object, annotations map[string]string, kind, reason, action, _ string, _ ...any) {
	if annotations[kube.CorrelationAnnotation] == "" {
		panic("an event without a correlation id")
	}
	h.events = append(h.events, kind+" "+reason+" "+action)
	h.told(reason)
}

// open are so many verdicts that it is too early to tell.
func open(n int) []pipeline.Verification {
	var all []pipeline.Verification
	for range n {
		all = append(all, pipeline.Verification{Outcome: v1alpha1.OutcomeOpen, Message: "not ready yet", Again: 7 * time.Second})
	}
	return all
}

// contextUntil is a context that ends once something is so.
func contextUntil(t *testing.T, so func() bool) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for !so() && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	return ctx, cancel
}
