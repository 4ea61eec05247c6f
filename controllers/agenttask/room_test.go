package agenttask

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/prometheus/client_golang/prometheus"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
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
	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/guard"
	"github.com/eclusier/eclusier/internal/kube"
	"github.com/eclusier/eclusier/internal/telemetry"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// room is everything around a reconciler: a tenant's namespace "shop" with the Deployment web, whose image does not
// exist, an API server that counts writes, and a clock that stands still.
type room struct {
	*testing.T
	client  client.Client
	writes  int
	failing func(write int) (before, after error)
	// patching is true during a write to the spec of something.
	patching bool
	world    *world
	guard    *vouching
	clock    *clocktesting.FakePassiveClock
	events   *heard
	registry *prometheus.Registry
	*Reconciler
}

func newRoom(t *testing.T, objects ...client.Object) *room {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	r := &room{T: t, world: newWorld(), guard: &vouching{}, events: &heard{},
		clock: clocktesting.NewFakePassiveClock(noon), registry: prometheus.NewRegistry()}
	r.client = fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&v1alpha1.AgentTask{}, &v1alpha1.ChangeRequest{}).
		WithObjects(objects...).WithObjects(account("shop", "eclusier-reader")).
		WithInterceptorFuncs(interceptor.Funcs{SubResourcePatch: r.patch, Delete: r.delete, Create: r.create, Patch: r.patchSpec}).Build()
	r.restart()
	return r
}

// restart replaces the reconciler, as a new process would.
func (r *room) restart() {
	r.Reconciler = &Reconciler{
		Client: r.client, Uncached: uncached{r.client}, Readers: r.world, Guard: r.guard,
		Events: kube.NewEvents(r.events), Metrics: telemetry.New(prometheus.WrapRegistererWith(
			prometheus.Labels{"life": fmt.Sprint(time.Now().UnixNano())}, r.registry)), Clock: r.clock,
	}
}

func (r *room) patch(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
	return r.write(func() error { return c.SubResource(sub).Patch(ctx, o, p, opts...) })
}

func (r *room) delete(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
	return r.write(func() error { return c.Delete(ctx, o, opts...) })
}

// create counts what the operator creates, and gives it a uid as the API server does.
func (r *room) create(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
	if _, ok := o.(*v1alpha1.ChangeRequest); !ok {
		return c.Create(ctx, o, opts...)
	}
	return r.write(func() error {
		if o.GetUID() == "" {
			o.SetUID(types.UID(fmt.Sprint("uid-of-", o.GetName())))
		}
		return c.Create(ctx, o, opts...)
	})
}

func (r *room) patchSpec(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
	r.patching = true
	defer func() { r.patching = false }()
	return r.write(func() error { return c.Patch(ctx, o, p, opts...) })
}

// edit changes the spec of a task, as its owner would.
func (r *room) edit(name string, change func(*v1alpha1.AgentTaskSpec)) {
	r.Helper()
	task := r.get(name)
	change(&task.Spec)
	task.Generation++
	if err := r.client.Update(r.Context(), task); err != nil {
		r.Fatal(err)
	}
}

// write counts a write, and fails it before or after it is stored where a test says so.
func (r *room) write(do func() error) error {
	r.writes++
	var before, after error
	if r.failing != nil {
		before, after = r.failing(r.writes)
	}
	if before != nil {
		return before
	}
	if err := do(); err != nil {
		return err
	}
	return after
}

// pass makes one pass and checks what must always be true of a task afterwards.
func (r *room) pass(name string) (*v1alpha1.AgentTask, ctrl.Result, error) {
	r.Helper()
	result, err := r.Reconcile(r.Context(), request(name))
	task := r.get(name)
	if err == nil && task != nil {
		check(r.T, task)
	}
	return task, result, err
}

// settle makes passes as the watch would: another one after each write, until the task rests.
func (r *room) settle(name string) (*v1alpha1.AgentTask, ctrl.Result) {
	r.Helper()
	for range 20 {
		before := r.get(name)
		task, result, err := r.pass(name)
		if err != nil {
			r.Fatalf("a pass failed: %v", err)
		}
		if task == nil || task.ResourceVersion == before.ResourceVersion || finished(task) {
			return task, result
		}
	}
	r.Fatal("the task does not come to rest")
	return nil, ctrl.Result{}
}

func (r *room) get(name string) *v1alpha1.AgentTask {
	r.Helper()
	task := &v1alpha1.AgentTask{}
	err := r.client.Get(context.Background(), request(name).NamespacedName, task)
	if client.IgnoreNotFound(err) != nil {
		r.Fatal(err)
	}
	if err != nil {
		return nil
	}
	return task
}

func request(name string) ctrl.Request {
	return ctrl.Request{NamespacedName: types.NamespacedName{Namespace: "shop", Name: name}}
}

// check is the status checker: what holds for every task after every pass.
func check(t *testing.T, task *v1alpha1.AgentTask) {
	t.Helper()
	s := task.Status
	if s.ObservedGeneration != task.Generation || s.CorrelationID == "" {
		t.Errorf("observed generation %d of %d, correlation id %q", s.ObservedGeneration, task.Generation, s.CorrelationID)
	}
	root := meta.FindStatusCondition(s.Conditions, v1alpha1.ConditionSucceeded)
	if root == nil {
		t.Fatalf("no Succeeded among %v", s.Conditions)
	}
	for _, c := range s.Conditions {
		if c.Message == "" || strings.Contains(c.Message, "%!") || c.LastTransitionTime.IsZero() {
			t.Errorf("condition %s reads badly: %q since %s", c.Type, c.Message, c.LastTransitionTime)
		}
	}
	reconciling := meta.IsStatusConditionTrue(s.Conditions, v1alpha1.ConditionReconciling)
	stalled := meta.IsStatusConditionTrue(s.Conditions, v1alpha1.ConditionStalled)
	if reconciling && stalled || reconciling && finished(task) {
		t.Errorf("reconciling %t, stalled %t, finished %t", reconciling, stalled, finished(task))
	}
	if finished(task) != (root.Status != metav1.ConditionUnknown) {
		t.Errorf("finished is %t and Succeeded is %s", finished(task), root.Status)
	}
	checkKstatus(t, task, root, reconciling)
}

// checkKstatus asks the code that Flux, Argo CD and kubectl wait ask, or follow.
func checkKstatus(t *testing.T, task *v1alpha1.AgentTask, root *metav1.Condition, reconciling bool) {
	t.Helper()
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(task)
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
	case root.Status == metav1.ConditionFalse, root.Reason == v1alpha1.SucceededIdentityGuardMissing:
		want = status.FailedStatus
	}
	if computed.Status != want {
		t.Errorf("kstatus says %s (%s), want %s", computed.Status, computed.Message, want)
	}
}

// summary is the conditions of a task in one line: type=status/reason.
func summary(task *v1alpha1.AgentTask) string {
	var parts []string
	for _, c := range task.Status.Conditions {
		mark := map[metav1.ConditionStatus]string{metav1.ConditionTrue: "+", metav1.ConditionFalse: "-", metav1.ConditionUnknown: "?"}[c.Status]
		parts = append(parts, mark+c.Type+"/"+c.Reason)
	}
	return strings.Join(parts, " ")
}

// ask builds a task that somebody vouched for.
func ask(name, prompt string, changes ...func(*v1alpha1.AgentTask)) *v1alpha1.AgentTask {
	task := &v1alpha1.AgentTask{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", UID: types.UID("uid-of-" + name), Generation: 1,
			CreationTimestamp: metav1.NewTime(noon.Add(-time.Second))},
		Spec: v1alpha1.AgentTaskSpec{Prompt: prompt, Intent: v1alpha1.IntentAuto,
			ServiceAccountName: "eclusier-reader", RequestedBy: &v1alpha1.Requester{Username: "alice"}},
	}
	for _, change := range changes {
		change(task)
	}
	return task
}

func account(namespace, name string) *corev1.ServiceAccount {
	return &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// world is a double of the tenant's cluster. It fails the next calls as it is told, and remembers what it was asked.
type world struct {
	objects []cluster.Found
	near    []cluster.Found
	fill    func(*cluster.Snapshot)
	// findErrs and readErrs are returned by the next calls, one each; nil entries succeed.
	findErrs, readErrs []error
	// gaps are what the next readings lack, one list of them each.
	gaps         [][]cluster.Gap
	finds, reads int
	accounts     []types.NamespacedName
	during       func()
}

func newWorld() *world {
	return &world{objects: []cluster.Found{found("Deployment", "shop", "web")}, fill: brokenImage}
}

func found(kind, namespace, name string) cluster.Found {
	return cluster.Found{Ref: cluster.Ref{Kind: kind, Namespace: namespace, Name: name}, UID: "uid-" + kind + name}
}

func (w *world) ReaderFor(account types.NamespacedName, asked time.Time) (cluster.Reader, error) {
	if asked.Before(noon) {
		panic("a reading from before the question could be served")
	}
	w.accounts = append(w.accounts, account)
	return w, nil
}

func (w *world) Find(_ context.Context, q cluster.Query) ([]cluster.Found, error) {
	w.finds++
	if err := next(&w.findErrs); err != nil {
		return nil, err
	}
	var fits []cluster.Found
	for _, f := range w.objects {
		if f.Name == q.Name && (q.Kind == "" || strings.EqualFold(q.Kind, f.Kind)) && (q.Namespace == "" || f.Namespace == "" || f.Namespace == q.Namespace) {
			fits = append(fits, f)
		}
	}
	return fits, nil
}

func (w *world) Suggest(context.Context, cluster.Query) ([]cluster.Found, error) { return w.near, nil }

func (w *world) Namespaced(q cluster.Query) bool { return !strings.EqualFold(q.Kind, "Node") }

func (w *world) Read(ctx context.Context, into *cluster.Snapshot, wants []cluster.Want) error {
	w.reads++
	if w.during != nil {
		w.during()
	}
	if err := next(&w.readErrs); err != nil {
		return err
	}
	if len(into.Read) == 0 {
		into.Now = noon
		w.fill(into)
	}
	if len(w.gaps) > 0 {
		into.Gaps = append(into.Gaps, w.gaps[0]...)
		w.gaps = w.gaps[1:]
	}
	into.Read = append(into.Read, wants...)
	return ctx.Err()
}

func next(errs *[]error) error {
	if len(*errs) == 0 {
		return nil
	}
	err := (*errs)[0]
	*errs = slices.Delete(*errs, 0, 1)
	return err
}

// healthy fills a snapshot with a Deployment web that runs.
func healthy(s *cluster.Snapshot) {
	brokenImage(s)
	s.Events = nil
	d, set, pod := s.Deployments[0], s.ReplicaSets[0], s.Pods[0]
	d.Status = appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1}
	set.Status = appsv1.ReplicaSetStatus{ObservedGeneration: 1, Replicas: 1, ReadyReplicas: 1, AvailableReplicas: 1}
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	pod.Status.ContainerStatuses[0] = corev1.ContainerStatus{Name: "web", Ready: true, Started: new(true),
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(noon.Add(-time.Hour))}}}
}

// serving fills a snapshot with a healthy Deployment web and an Ingress for a host.
func serving(host string) func(*cluster.Snapshot) {
	return func(s *cluster.Snapshot) {
		healthy(s)
		s.Ingresses = []*networkingv1.Ingress{{ObjectMeta: metav1.ObjectMeta{Name: "site", Namespace: "shop", UID: "uid-site"},
			Spec: networkingv1.IngressSpec{Rules: []networkingv1.IngressRule{{Host: host}}}}}
	}
}

// lackingAll are the gaps of a namespace of which no workload may be read.
func lackingAll(namespace string) []cluster.Gap {
	var gaps []cluster.Gap
	for _, resource := range workloads {
		gaps = append(gaps, gap(namespace, resource, cluster.GapForbidden))
	}
	return gaps
}

// brokenImage fills a snapshot with a Deployment web whose image tag does not exist.
func brokenImage(s *cluster.Snapshot) {
	labels := map[string]string{"app": "web"}
	named := func(name string, owner metav1.Object, kind string) metav1.ObjectMeta {
		m := metav1.ObjectMeta{Name: name, Namespace: "shop", UID: types.UID("uid-" + name), Labels: labels, Generation: 1,
			CreationTimestamp: metav1.NewTime(noon.Add(-10 * time.Minute))}
		if owner != nil {
			m.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: kind, Name: owner.GetName(), UID: owner.GetUID(), Controller: new(true)}}
		}
		return m
	}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "registry.example.org/web:v9"}}}}
	selector := &metav1.LabelSelector{MatchLabels: labels}
	d := &appsv1.Deployment{ObjectMeta: named("web", nil, ""), Spec: appsv1.DeploymentSpec{Replicas: new(int32(1)), Selector: selector, Template: template},
		Status: appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: 1, UpdatedReplicas: 1, UnavailableReplicas: 1}}
	set := &appsv1.ReplicaSet{ObjectMeta: named("web-7d9f", d, "Deployment"), Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(1)), Selector: selector, Template: template},
		Status: appsv1.ReplicaSetStatus{ObservedGeneration: 1, Replicas: 1}}
	message := `Back-off pulling image "registry.example.org/web:v9": ErrImagePull: rpc error: code = NotFound desc = failed to pull and unpack image "registry.example.org/web:v9": failed to resolve reference "registry.example.org/web:v9": registry.example.org/web:v9: not found`
	pod := &corev1.Pod{ObjectMeta: named("web-7d9f-x2x4z", set, "ReplicaSet"), Spec: template.Spec,
		Status: corev1.PodStatus{Phase: corev1.PodPending,
			Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}, {Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "ContainersNotReady"}},
			ContainerStatuses: []corev1.ContainerStatus{{Name: "web", Image: "registry.example.org/web:v9",
				State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: message}}}}}}
	pod.Spec.NodeName = "node-1"
	s.Deployments, s.ReplicaSets, s.Pods = []*appsv1.Deployment{d}, []*appsv1.ReplicaSet{set}, []*corev1.Pod{pod}
	s.Events = []*cluster.Event{{Namespace: "shop", About: cluster.Ref{Kind: "Pod", Namespace: "shop", Name: pod.Name}, Warning: true,
		Reason: "Failed", Message: "Failed to pull image: " + message, Count: 3, First: noon.Add(-9 * time.Minute), Last: noon.Add(-time.Minute), Source: "kubelet"}}
}

// vouching is a double of the identity guard.
type vouching struct {
	problems []guard.Problem
	since    time.Time
	// lagging: the cache shows the guard as it was, missing where it is in place and the other way round.
	lagging bool
	err     error
}

// uncached tells the reader past the cache from the cache.
type uncached struct{ client.Reader }

func (v *vouching) Check(_ context.Context, reader client.Reader) (guard.Verdict, error) {
	problems := v.problems
	_, fresh := reader.(uncached)
	switch {
	case fresh || !v.lagging:
	case len(problems) > 0:
		problems = nil
	default:
		problems = []guard.Problem{{Kind: "ValidatingAdmissionPolicy", Name: "eclusier-check-requester"}}
	}
	return guard.Verdict{Stamp: guard.StampByServer, Problems: problems, Since: v.since}, v.err
}

// heard remembers the events told.
type heard struct{ events []string }

func (h *heard) AnnotatedEventf(_, _ runtime.Object, annotations map[string]string, kind, reason, action, _ string, _ ...any) {
	if annotations[kube.CorrelationAnnotation] == "" {
		panic("an event without a correlation id")
	}
	h.events = append(h.events, kind+" "+reason+" "+action)
}
