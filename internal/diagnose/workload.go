package diagnose

import (
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// workload is what people mean by a workload: the object whose specification makes pods. A pod without an owner is
// its own workload; pods of a controller of a foreign kind belong to a workload of that kind without an object.
type workload struct {
	ref      cluster.Ref
	meta     metav1.Object
	template *corev1.PodTemplateSpec
	selector *metav1.LabelSelector
	desired  int32
	pods     []*corev1.Pod
	// sets are the ReplicaSets of a Deployment, newest revision first.
	sets []*appsv1.ReplicaSet
}

func (w *workload) namespace() string { return w.ref.Namespace }

// readyPods counts the pods that are ready and not on their way out.
func (w *workload) readyPods() int {
	n := 0
	for _, p := range w.pods {
		if p.DeletionTimestamp == nil && podReady(p) {
			n++
		}
	}
	return n
}

func (w *workload) container(name string) *corev1.Container {
	return containerOf(&w.template.Spec, name)
}

func containerOf(spec *corev1.PodSpec, name string) *corev1.Container {
	for i := range spec.Containers {
		if spec.Containers[i].Name == name {
			return &spec.Containers[i]
		}
	}
	for i := range spec.InitContainers {
		if spec.InitContainers[i].Name == name {
			return &spec.InitContainers[i]
		}
	}
	return nil
}

func (x *index) addWorkloads() {
	for _, d := range x.snap.Deployments {
		x.put(&workload{ref: ref("Deployment", d.Namespace, d.Name), meta: d, template: &d.Spec.Template, selector: d.Spec.Selector, desired: orOne(d.Spec.Replicas)})
	}
	for _, s := range x.snap.StatefulSets {
		x.put(&workload{ref: ref("StatefulSet", s.Namespace, s.Name), meta: s, template: &s.Spec.Template, selector: s.Spec.Selector, desired: orOne(s.Spec.Replicas)})
	}
	for _, d := range x.snap.DaemonSets {
		x.put(&workload{ref: ref("DaemonSet", d.Namespace, d.Name), meta: d, template: &d.Spec.Template, selector: d.Spec.Selector, desired: d.Status.DesiredNumberScheduled})
	}
	for _, j := range x.snap.Jobs {
		x.put(&workload{ref: ref("Job", j.Namespace, j.Name), meta: j, template: &j.Spec.Template, selector: j.Spec.Selector, desired: orOne(j.Spec.Parallelism)})
		if o := metav1.GetControllerOfNoCopy(j); o != nil {
			owner := ref(o.Kind, j.Namespace, o.Name)
			x.jobsOf[owner] = append(x.jobsOf[owner], j)
		}
	}
	for _, c := range x.snap.Controllers {
		if c.Spec.Template != nil {
			x.put(&workload{ref: ref("ReplicationController", c.Namespace, c.Name), meta: c, template: c.Spec.Template, selector: &metav1.LabelSelector{MatchLabels: c.Spec.Selector}, desired: orOne(c.Spec.Replicas)})
		}
	}
	x.addReplicaSets()
	for _, p := range x.snap.Pods {
		w := x.workloadFor(p)
		w.pods = append(w.pods, p)
		x.podWorkload[ref("Pod", p.Namespace, p.Name)] = w
	}
	for _, w := range x.workloadList {
		for k, v := range w.template.Labels {
			key := labelKey{w.ref.Namespace, k, v}
			x.workByLabel[key] = append(x.workByLabel[key], w)
		}
	}
}

func (x *index) addReplicaSets() {
	for _, r := range x.snap.ReplicaSets {
		if o := metav1.GetControllerOfNoCopy(r); o != nil {
			if w := x.workloads[ref(o.Kind, r.Namespace, o.Name)]; w != nil {
				w.sets = append(w.sets, r)
				continue
			}
		}
		x.put(&workload{ref: ref("ReplicaSet", r.Namespace, r.Name), meta: r, template: &r.Spec.Template, selector: r.Spec.Selector, desired: orOne(r.Spec.Replicas)})
	}
	for _, w := range x.workloadList {
		slices.SortStableFunc(w.sets, func(a, b *appsv1.ReplicaSet) int { return int(revision(b) - revision(a)) })
	}
}

func (x *index) put(w *workload) {
	if _, double := x.workloads[w.ref]; double {
		return
	}
	x.workloads[w.ref] = w
	x.workloadList = append(x.workloadList, w)
}

// workloadFor finds the workload of a pod, making one for a bare pod or an owner that the snapshot does not hold.
func (x *index) workloadFor(p *corev1.Pod) *workload {
	r := ref("Pod", p.Namespace, p.Name)
	var meta metav1.Object = p
	if o := metav1.GetControllerOfNoCopy(p); o != nil && o.Kind != "Node" {
		r, meta = ref(o.Kind, p.Namespace, o.Name), nil
		if set := get[*appsv1.ReplicaSet](x, "ReplicaSet", p.Namespace, o.Name); o.Kind == "ReplicaSet" && set != nil {
			if top := metav1.GetControllerOfNoCopy(set); top != nil {
				r = ref(top.Kind, p.Namespace, top.Name)
			}
		} else if o.Kind == "ReplicaSet" {
			r = x.deploymentBehind(p, r)
		}
	}
	if w := x.workloads[r]; w != nil {
		return w
	}
	w := &workload{ref: r, meta: meta, desired: 1, template: &corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: p.Labels}, Spec: p.Spec}}
	x.put(w)
	return w
}

// deploymentBehind is the Deployment of a pod whose ReplicaSet was not read: the hash that the Deployment controller gives both
// is the end of the set's name, and the Deployment selects the pod. Without such a Deployment it is the set.
func (x *index) deploymentBehind(p *corev1.Pod, set cluster.Ref) cluster.Ref {
	name, hashed := strings.CutSuffix(set.Name, "-"+p.Labels[appsv1.DefaultDeploymentUniqueLabelKey])
	d := get[*appsv1.Deployment](x, "Deployment", p.Namespace, name)
	if !hashed || d == nil || d.Spec.Selector == nil || !selectorFits(d.Spec.Selector, p.Labels) {
		return set
	}
	return ref("Deployment", p.Namespace, name)
}

// revision is the deployment revision of a ReplicaSet, 0 where it has none.
func revision(r *appsv1.ReplicaSet) int64 {
	n, err := strconv.ParseInt(r.Annotations["deployment.kubernetes.io/revision"], 10, 64)
	if err != nil || n < 0 || n > 1<<40 {
		return 0
	}
	return n
}

// newestSet is the ReplicaSet of the current revision, nil where there is none.
func (w *workload) newestSet() *appsv1.ReplicaSet {
	if len(w.sets) == 0 {
		return nil
	}
	return w.sets[0]
}

// formerSet is the newest ReplicaSet of an earlier revision that had pods before: it still has some, or it is kept
// in the history.
func (w *workload) formerSet() *appsv1.ReplicaSet {
	if len(w.sets) < 2 {
		return nil
	}
	return w.sets[1]
}

func orOne(n *int32) int32 {
	if n == nil {
		return 1
	}
	return *n
}

func finished(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
}

func podCondition(p *corev1.Pod, t corev1.PodConditionType) *corev1.PodCondition {
	for i := range p.Status.Conditions {
		if p.Status.Conditions[i].Type == t {
			return &p.Status.Conditions[i]
		}
	}
	return nil
}

func podReady(p *corev1.Pod) bool {
	c := podCondition(p, corev1.PodReady)
	return c != nil && c.Status == corev1.ConditionTrue
}

func podRef(p *corev1.Pod) cluster.Ref { return ref("Pod", p.Namespace, p.Name) }

// statuses returns the statuses of all containers of a pod, init containers first.
func statuses(p *corev1.Pod) []corev1.ContainerStatus {
	return append(slices.Clone(p.Status.InitContainerStatuses), p.Status.ContainerStatuses...)
}

func statusOf(p *corev1.Pod, container string) *corev1.ContainerStatus {
	for _, list := range [][]corev1.ContainerStatus{p.Status.ContainerStatuses, p.Status.InitContainerStatuses} {
		for i := range list {
			if list[i].Name == container {
				return &list[i]
			}
		}
	}
	return nil
}
