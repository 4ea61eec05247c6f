package diagnose

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/language"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/eclusier/eclusier/internal/cluster"
)

// noon is the moment of every made-up cluster.
var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func before(d time.Duration) metav1.Time { return metav1.NewTime(noon.Add(-d)) }

// world is a small made-up cluster. Namespace app and the cluster's own lists were read whole.
type world struct{ *cluster.Snapshot }

func newWorld(namespaces ...string) *world {
	w := &world{&cluster.Snapshot{Now: noon, Read: []cluster.Want{{What: cluster.WantCluster}, {What: cluster.WantServices}}}}
	for _, n := range append([]string{"app"}, namespaces...) {
		w.Namespaces = append(w.Namespaces, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: n}})
		w.Read = append(w.Read, cluster.Want{What: cluster.WantNamespace, Namespace: n})
	}
	for _, n := range []string{"node-a", "node-b"} {
		w.Nodes = append(w.Nodes, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: n, Labels: map[string]string{corev1.LabelArchStable: "amd64"}},
			Status: corev1.NodeStatus{
				NodeInfo:   corev1.NodeSystemInfo{Architecture: "amd64"},
				Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			},
		})
	}
	return w
}

// template is a pod template with one container of the name app.
func template(name string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name}},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyAlways,
			Containers: []corev1.Container{{
				Name: name, Image: "registry.example.com/" + name + ":1.0", Ports: []corev1.ContainerPort{{ContainerPort: 8080}},
				Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("64Mi")}},
			}},
		},
	}
}

func owned(kind, name string) []metav1.OwnerReference {
	yes := true
	return []metav1.OwnerReference{{Kind: kind, Name: name, Controller: &yes}}
}

// deployment adds a Deployment of one replica with its ReplicaSets, newest last in revisions, and one pod of the newest.
// It returns the pod, running and ready; edit changes the template first.
func (w *world) deployment(name string, edit func(*corev1.PodTemplateSpec)) (*appsv1.Deployment, *corev1.Pod) {
	t := template(name)
	if edit != nil {
		edit(&t)
	}
	one := int32(1)
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: name, CreationTimestamp: before(48 * time.Hour)},
		Spec:       appsv1.DeploymentSpec{Replicas: &one, Template: t, Selector: &metav1.LabelSelector{MatchLabels: t.Labels}},
		Status:     appsv1.DeploymentStatus{Replicas: 1, UpdatedReplicas: 1},
	}
	w.Deployments = append(w.Deployments, d)
	t = w.revision(d, 1, t).Spec.Template
	return d, w.pod(name+"-1-x", owned("ReplicaSet", name+"-1"), t)
}

// revision adds a ReplicaSet of a Deployment.
func (w *world) revision(d *appsv1.Deployment, n int, t corev1.PodTemplateSpec) *appsv1.ReplicaSet {
	one := int32(1)
	hash := fmt.Sprint(n)
	t.Labels = map[string]string{"app": t.Labels["app"], appsv1.DefaultDeploymentUniqueLabelKey: hash}
	r := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "app", Name: d.Name + "-" + hash, OwnerReferences: owned("Deployment", d.Name), Labels: t.Labels,
			Annotations: map[string]string{"deployment.kubernetes.io/revision": hash},
		},
		Spec:   appsv1.ReplicaSetSpec{Replicas: &one, Template: t},
		Status: appsv1.ReplicaSetStatus{Replicas: 1, ReadyReplicas: 1},
	}
	w.ReplicaSets = append(w.ReplicaSets, r)
	return r
}

// pod adds a pod that has been running and ready for a day.
func (w *world) pod(name string, owner []metav1.OwnerReference, t corev1.PodTemplateSpec) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: name, OwnerReferences: owner, Labels: t.Labels, CreationTimestamp: before(24 * time.Hour)},
		Spec:       *t.Spec.DeepCopy(),
		Status:     corev1.PodStatus{Phase: corev1.PodRunning},
	}
	p.Spec.NodeName = "node-a"
	for _, c := range t.Spec.InitContainers {
		p.Status.InitContainerStatuses = append(p.Status.InitContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Ready: true, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed", FinishedAt: before(24 * time.Hour)}},
		})
	}
	for _, c := range t.Spec.Containers {
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: before(24 * time.Hour)}},
		})
	}
	p.Status.Conditions = []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionTrue},
		{Type: corev1.PodInitialized, Status: corev1.ConditionTrue},
		{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: before(24 * time.Hour)},
	}
	w.Pods = append(w.Pods, p)
	return p
}

// unreadyPod makes a pod not ready since half an hour.
func unreadyPod(p *corev1.Pod) {
	c := podCondition(p, corev1.PodReady)
	c.Status, c.LastTransitionTime = corev1.ConditionFalse, before(30*time.Minute)
}

// crashed makes a container of a pod crash-loop.
func crashed(p *corev1.Pod, container string, code int32, reason, message string) {
	unreadyPod(p)
	c := statusOf(p, container)
	c.Ready, c.RestartCount = false, 6
	c.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
	c.LastTerminationState = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason, Message: message, FinishedAt: before(2 * time.Minute), StartedAt: before(3 * time.Minute)}}
	if isInit(p, container) {
		podCondition(p, corev1.PodInitialized).Status = corev1.ConditionFalse
	}
}

// waits makes a container wait with a reason.
func waits(p *corev1.Pod, container, reason, message string) {
	unreadyPod(p)
	p.Status.Phase = corev1.PodPending
	c := statusOf(p, container)
	c.Ready = false
	c.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
}

// idles makes a container run without being ready.
func idles(p *corev1.Pod, container string) {
	unreadyPod(p)
	c := statusOf(p, container)
	c.Ready = false
	c.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: before(30 * time.Minute)}}
}

// event adds an event of two minutes ago.
func (w *world) event(about cluster.Ref, warning bool, reason, message string) {
	w.Events = append(w.Events, &cluster.Event{
		Namespace: about.Namespace, About: about, Warning: warning, Reason: reason, Message: message, Count: 3,
		First: noon.Add(-20 * time.Minute), Last: noon.Add(-2 * time.Minute),
	})
}

// log adds the log of the former instance of a container.
func (w *world) log(p *corev1.Pod, container, text string) {
	w.Logs = append(w.Logs, &cluster.Log{Pod: podRef(p), Container: container, Previous: true, Text: text})
}

// current adds the log of the running instance of a container.
func (w *world) current(p *corev1.Pod, container, text string) {
	w.Logs = append(w.Logs, &cluster.Log{Pod: podRef(p), Container: container, Text: text})
}

// refuses adds a controller's event about pods that it cannot create.
func (w *world) refuses(d *appsv1.Deployment, message string) {
	two := int32(2)
	d.Spec.Replicas = &two
	set := w.ReplicaSets[slices.IndexFunc(w.ReplicaSets, func(r *appsv1.ReplicaSet) bool { return r.Name == d.Name+"-1" })]
	set.Spec.Replicas = &two
	w.event(ref("ReplicaSet", "app", set.Name), true, "FailedCreate", "Error creating: "+message)
}

// job adds a failed Job with one failed pod.
func (w *world) job(name, reason string) (*batchv1.Job, *corev1.Pod) {
	t := template(name)
	t.Spec.RestartPolicy = corev1.RestartPolicyNever
	j := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: name, CreationTimestamp: before(time.Hour)},
		Spec:       batchv1.JobSpec{Template: t},
		Status: batchv1.JobStatus{Failed: 1, Conditions: []batchv1.JobCondition{{
			Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: reason, Message: "Job has reached the specified limit", LastTransitionTime: before(10 * time.Minute),
		}}},
	}
	w.Jobs = append(w.Jobs, j)
	p := w.pod(name+"-x", owned("Job", name), t)
	p.Status.Phase = corev1.PodFailed
	unreadyPod(p)
	c := statusOf(p, name)
	c.Ready = false
	c.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", FinishedAt: before(11 * time.Minute)}}
	return j, p
}

// expected is what a made-up case has to yield.
type expected struct {
	cause    CauseID
	object   string
	evidence []string
	// chain are the ids of findings that follow.
	chain []CauseID
}

// ask diagnoses the world with a question about namespace app, in both languages, and returns the English report. The
// objects of the world have to stay as they are, since others may be asking about them as well.
func (w *world) ask(t *testing.T, targets ...cluster.Ref) *Report {
	t.Helper()
	q := Question{Namespace: "app", Targets: targets, Language: language.English}
	before := w.copies()
	defer func() {
		if !reflect.DeepEqual(before, w.copies()) {
			t.Error("the diagnosis changes what it looks at")
		}
	}()
	r := Diagnose(w.Snapshot, q)
	q.Language = language.French
	french := Diagnose(w.Snapshot, q)
	for i, f := range french.RootCauses {
		if f.Message == r.RootCauses[i].Message {
			t.Errorf("%s says the same in French as in English: %q", f.ID, f.Message)
		}
	}
	return r
}

// copies are copies of all objects of the world.
func (w *world) copies() []runtime.Object {
	var out []runtime.Object
	lists := reflect.ValueOf(w.Snapshot).Elem()
	for i := range lists.NumField() {
		if lists.Field(i).Kind() != reflect.Slice {
			continue
		}
		for n := range lists.Field(i).Len() {
			if o, is := lists.Field(i).Index(n).Interface().(runtime.Object); is {
				out = append(out, o.DeepCopyObject())
			}
		}
	}
	return out
}

// check asks and compares.
func (w *world) check(t *testing.T, want expected, targets ...cluster.Ref) {
	t.Helper()
	r := w.ask(t, targets...)
	if len(r.RootCauses) == 0 {
		t.Fatalf("no root cause: %s, %+v", r.Summary, r.Missing)
	}
	f := r.RootCauses[0]
	if f.Cause != want.cause || f.Object.Path() != want.object {
		t.Errorf("found %s at %s, want %s at %s", f.Cause, f.Object, want.cause, want.object)
	}
	if len(r.RootCauses) > 1 {
		t.Errorf("also claims %s", r.RootCauses[1].ID)
	}
	if f.Fix == "" || f.Message == "" {
		t.Errorf("says nothing: %+v", f)
	}
	texts := citedTexts(append([]Finding{f}, r.Chain...))
	for _, e := range want.evidence {
		if !slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, e) }) {
			t.Errorf("does not cite %q in %q", e, texts)
		}
	}
	for _, id := range want.chain {
		if !slices.ContainsFunc(r.Chain, func(f Finding) bool { return f.Cause == id }) {
			t.Errorf("does not tell of %s", id)
		}
	}
}

func citedTexts(list []Finding) []string {
	var out []string
	for _, f := range list {
		for _, e := range f.Evidence {
			out = append(out, e.Text)
		}
	}
	return out
}

// remove takes a pod out of the world.
func (w *world) remove(p *corev1.Pod) {
	w.Pods = slices.DeleteFunc(w.Pods, func(o *corev1.Pod) bool { return o == p })
}
