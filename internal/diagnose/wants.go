package diagnose

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

const (
	// maxPodsPerSymptom is how many pods that suffer alike have their logs read.
	maxPodsPerSymptom = 2
	// maxWants bounds one round.
	maxWants = 60
	// maxHealthyLogs is how many logs are read of what was asked about and shows no symptom.
	maxHealthyLogs = 12
	// maxNeighbors is how many crashing workloads beside what was asked about have a log read.
	maxNeighbors = 5
	// maxNamespaces bounds how many namespaces a question about the whole cluster reads.
	maxNamespaces = 40
)

// readNext adds to the wants of the checks what would allow to say more of what was asked.
func (x *exam) readNext() {
	x.wantTargets()
	x.wantNamespaces()
	near := func(s *symptom) bool { return x.distance(s.work.ref) >= 0 || slices.ContainsFunc(s.by, x.answers) }
	for _, s := range x.symptoms {
		if s.container == "" && s.kind != unready || !near(s) || s.kind == waiting || s.kind == complaining {
			continue
		}
		if s.kind == restarted && !x.seeds.past {
			continue
		}
		x.wantSymptomLogs(s)
	}
	x.wantJobLogs(near)
	x.wantNeighborLogs(near)
	x.wantPeers()
	x.wantMakers()
	x.wantHealthyLogs()
	if len(x.wants) > maxWants {
		x.wants = x.wants[:maxWants]
	}
}

// wantNeighborLogs reads one log of each workload that crashes beside what was asked about, in the same namespaces, so that
// its fault can be told apart instead of being passed over. At most maxNeighbors of them.
func (x *exam) wantNeighborLogs(near func(*symptom) bool) {
	left := maxNeighbors
	for _, s := range x.symptoms {
		if s.kind != crashing || s.explained() || near(s) || !slices.Contains(x.askedIn(), s.work.namespace()) || left == 0 {
			continue
		}
		left--
		x.wantLogs(s.pod(), s.container, true)
	}
}

// askedIn are the namespaces that the question is about or whose objects it names.
func (x *exam) askedIn() []string {
	out := slices.Clone(x.seeds.namespaces)
	for _, r := range x.seeds.refs {
		if r.Namespace != "" {
			out = append(out, r.Namespace)
		}
	}
	return out
}

// answers says that a finding belongs to the answer.
func (x *exam) answers(f *Finding) bool {
	return slices.ContainsFunc(f.touches(), func(r cluster.Ref) bool { return x.distance(r) >= 0 })
}

func (x *exam) wantTargets() {
	for _, r := range x.seeds.refs {
		if r.Namespace != "" {
			x.want(cluster.Want{What: cluster.WantNamespace, Namespace: r.Namespace})
		}
		if !x.exists(r) && x.workloads[r] == nil && r.Kind != "" {
			x.want(wantObject(r))
		}
		if r.Kind == "Node" {
			x.want(cluster.Want{What: cluster.WantPodsOnNode, Name: r.Name})
			for _, p := range x.podsOnNode[r.Name] {
				x.want(cluster.Want{What: cluster.WantNamespace, Namespace: p.Namespace})
			}
		}
	}
}

// wantNamespaces asks for the namespaces that the question names or, for a question about the cluster, all of them.
func (x *exam) wantNamespaces() {
	list := x.seeds.namespaces
	if len(list) == 0 && len(x.seeds.refs) == 0 {
		for _, n := range x.snap.Namespaces {
			list = append(list, n.Name)
		}
	}
	for _, n := range list[:min(len(list), maxNamespaces)] {
		x.want(cluster.Want{What: cluster.WantNamespace, Namespace: n})
	}
}

func (x *exam) wantSymptomLogs(s *symptom) {
	for _, p := range s.pods[:min(len(s.pods), maxPodsPerSymptom)] {
		for _, c := range statuses(p) {
			if s.container != "" && c.Name != s.container {
				continue
			}
			switch {
			case s.kind == restarted:
				x.wantLogs(p, c.Name, true)
			case termination(&c) != nil && c.RestartCount > 0:
				x.wantLogs(p, c.Name, false, true)
			default:
				x.wantLogs(p, c.Name, false)
			}
		}
	}
}

func (x *exam) wantJobLogs(near func(*symptom) bool) {
	for _, s := range x.symptoms {
		if s.kind != jobFailed || !near(s) {
			continue
		}
		for _, p := range s.pods[:min(len(s.pods), maxPodsPerSymptom)] {
			for _, c := range statuses(p) {
				if t := termination(&c); t != nil && t.ExitCode != 0 {
					x.wantLogs(p, c.Name, false)
				}
			}
		}
	}
}

// wantPeers asks for what findings need and the snapshot does not hold: the namespaces behind what was called, and the
// logs of what ails there.
func (x *exam) wantPeers() {
	behind := map[cluster.Ref]bool{}
	for _, f := range x.findings {
		if !x.answers(f) {
			continue
		}
		for _, n := range f.links.needs {
			if n.Namespace != "" {
				x.want(cluster.Want{What: cluster.WantNamespace, Namespace: n.Namespace})
			}
			for r := range x.reach(n) {
				behind[r] = true
			}
		}
	}
	for _, s := range x.symptoms {
		if behind[s.work.ref] && s.container != "" && s.kind != waiting && !s.weak() {
			x.wantSymptomLogs(s)
		}
	}
	x.wantLogsBehind()
}

// wantLogsBehind reads the logs of what serves well by its status and is called in vain, and the namespaces that it is
// configured to call in its turn: the trouble may lie further behind.
func (x *exam) wantLogsBehind() {
	left := maxHealthyLogs
	for _, f := range x.findings {
		if !x.answers(f) {
			continue
		}
		for _, n := range f.links.needs {
			for _, w := range x.servedBy(n) {
				for _, name := range x.configuredNamespaces(w) {
					x.want(cluster.Want{What: cluster.WantNamespace, Namespace: name})
				}
				if len(f.links.causedBy) == 0 {
					left = x.wantRunningLogs(w, left)
				}
			}
		}
	}
}

// servedBy are the workloads that an object is or that a Service selects.
func (x *exam) servedBy(r cluster.Ref) []*workload {
	if w := x.workloads[r]; w != nil {
		return []*workload{w}
	}
	if s := get[*corev1.Service](x.index, r.Kind, r.Namespace, r.Name); s != nil && r.Kind == "Service" && len(s.Spec.Selector) > 0 {
		return x.workloadsSelected(s.Namespace, s.Spec.Selector)
	}
	return nil
}

// wantRunningLogs asks for the logs of what runs of a workload, as long as some are left to ask for, and says how many
// are left then.
func (x *exam) wantRunningLogs(w *workload, left int) int {
	for _, p := range w.pods[:min(len(w.pods), maxPodsPerSymptom)] {
		for _, c := range runningContainers(p) {
			if left > 0 {
				left--
				x.wantLogs(p, c, false)
			}
		}
	}
	return left
}

// wantHealthyLogs reads a few logs of what was asked about where nothing is wrong by its status, the nearest first: what
// fails without crashing says so there.
func (x *exam) wantHealthyLogs() {
	left := maxHealthyLogs
	for _, w := range x.wellNearby() {
		left = x.wantRunningLogs(w, left)
	}
}

// wellNearby are the workloads without symptoms that the question is about or depends on, the nearest first.
func (x *exam) wellNearby() []*workload {
	const far = 4
	var out []*workload
	for _, w := range x.workloadList {
		d := x.distance(w.ref)
		ill := slices.ContainsFunc(x.symptomsOf[w], func(s *symptom) bool { return !s.weak() })
		if d >= 0 && d <= far && w.ref.Kind != "Job" && !ill {
			out = append(out, w)
		}
	}
	slices.SortStableFunc(out, func(a, b *workload) int {
		return cmp.Or(boolCompare(x.resembles(a.ref.Name), x.resembles(b.ref.Name)), cmp.Compare(x.distance(a.ref), x.distance(b.ref)))
	})
	return out
}

func runningContainers(p *corev1.Pod) []string {
	var out []string
	for _, c := range slices.Concat(p.Status.ContainerStatuses, p.Status.InitContainerStatuses) {
		if c.State.Running != nil && p.DeletionTimestamp == nil {
			out = append(out, c.Name)
		}
	}
	return out
}
