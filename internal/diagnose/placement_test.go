package diagnose

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/eclusier/eclusier/internal/cluster"
)

// placementNow is the moment of every snapshot below.
var placementNow = time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)

func minutesAgo(m int) metav1.Time {
	return metav1.NewTime(placementNow.Add(-time.Duration(m) * time.Minute))
}

// wholeCluster is an empty cluster of which everything was read.
func wholeCluster() *cluster.Snapshot {
	return &cluster.Snapshot{
		Now:        placementNow,
		Namespaces: []*corev1.Namespace{{ObjectMeta: metav1.ObjectMeta{Name: "team"}}},
		Read: []cluster.Want{
			{What: cluster.WantCluster}, {What: cluster.WantNamespace, Namespace: "team"}, {What: cluster.WantServices},
		},
	}
}

func addNode(s *cluster.Snapshot, name string, change func(*corev1.Node)) {
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": "north"}},
		Status: corev1.NodeStatus{
			Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("16Gi")},
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady"}},
		},
	}
	if change != nil {
		change(n)
	}
	s.Nodes = append(s.Nodes, n)
}

// addPending adds a Deployment with one pod that the scheduler refused with a message.
func addPending(s *cluster.Snapshot, name, message string, change func(*corev1.PodSpec)) {
	labels := map[string]string{"app": name}
	spec := corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "registry.example/" + name + ":1"}}}
	if change != nil {
		change(&spec)
	}
	one := int32(1)
	s.Deployments = append(s.Deployments, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, CreationTimestamp: minutesAgo(60)},
		Spec: appsv1.DeploymentSpec{
			Replicas: &one, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: spec},
		},
	})
	yes := true
	s.ReplicaSets = append(s.ReplicaSets, &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name + "-set", OwnerReferences: []metav1.OwnerReference{{Kind: "Deployment", Name: name, Controller: &yes}}},
		Spec:       appsv1.ReplicaSetSpec{Replicas: &one, Template: corev1.PodTemplateSpec{Spec: spec}},
	})
	s.Pods = append(s.Pods, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "team", Name: name + "-set-a", Labels: labels, CreationTimestamp: minutesAgo(30),
			OwnerReferences: []metav1.OwnerReference{{Kind: "ReplicaSet", Name: name + "-set", Controller: &yes}},
		},
		Spec: spec,
		Status: corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: message,
		}}},
	})
}

func asking(cpu string) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) {
		s.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
	}
}

func TestPlacement(t *testing.T) {
	tainted := func(key, value string) func(*corev1.Node) {
		return func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: key, Value: value, Effect: corev1.TaintEffectNoSchedule}}
		}
	}
	claimOf := func(class *string, phase corev1.PersistentVolumeClaimPhase, volume string) *corev1.PersistentVolumeClaim {
		return &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "files", CreationTimestamp: minutesAgo(40)},
			Spec:       corev1.PersistentVolumeClaimSpec{StorageClassName: class, VolumeName: volume},
			Status:     corev1.PersistentVolumeClaimStatus{Phase: phase},
		}
	}
	mounting := func(s *corev1.PodSpec) {
		s.Volumes = []corev1.Volume{{Name: "files", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "files"},
		}}}
	}
	class := "quick"
	for _, tc := range []struct {
		name   string
		make   func(*cluster.Snapshot)
		cause  CauseID
		object string
		says   string
		reason string
	}{
		{"too little CPU is named even beside a tainted control plane", func(s *cluster.Snapshot) {
			addNode(s, "cp", tainted("node-role.kubernetes.io/control-plane", ""))
			addNode(s, "one", nil)
			addPending(s, "crunch", "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }. preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.", asking("3"))
		}, "UnschedulableInsufficientCPU", "Deployment/team/crunch", "3", "the node that is open lacks the room"},
		{"a request larger than any node says so", func(s *cluster.Snapshot) {
			addNode(s, "one", nil)
			addPending(s, "crunch", "0/1 nodes are available: 1 Insufficient cpu.", asking("7"))
		}, "UnschedulableInsufficientCPU", "Deployment/team/crunch", "more than any node offers", "no amount of waiting helps"},
		{"memory is told from CPU", func(s *cluster.Snapshot) {
			addNode(s, "one", nil)
			addPending(s, "crunch", "0/3 nodes are available: 1 Insufficient cpu, 2 Insufficient memory.", nil)
		}, "UnschedulableInsufficientMemory", "Deployment/team/crunch", "", "more nodes lack memory"},
		{"another resource is named as it is", func(s *cluster.Snapshot) {
			addNode(s, "one", nil)
			addPending(s, "train", "0/1 nodes are available: 1 Insufficient example.org/accelerator.", nil)
		}, "UnschedulableInsufficientResource", "Deployment/team/train", "example.org/accelerator", "neither CPU nor memory"},
		{"the taint of the only nodes that the selector leaves is the cause", func(s *cluster.Snapshot) {
			addNode(s, "plain", nil)
			addNode(s, "special", func(n *corev1.Node) { n.Labels["pool"] = "special"; tainted("pool", "special")(n) })
			addPending(s, "train", "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s).", func(p *corev1.PodSpec) {
				p.NodeSelector = map[string]string{"pool": "special"}
			})
		}, "UnschedulableTaint", "Deployment/team/train", "pool=special:NoSchedule", "the selector is met by a node that is tainted"},
		{"a selector that no node meets is the cause, with what nodes carry", func(s *cluster.Snapshot) {
			addNode(s, "plain", func(n *corev1.Node) { n.Labels["disk"] = "ssd" })
			addPending(s, "train", "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.", func(p *corev1.PodSpec) {
				p.NodeSelector = map[string]string{"disk": "sdd"}
			})
		}, "UnschedulableAffinity", "Deployment/team/train", "disk=sdd", "nothing else keeps the pod away"},
		{"a node that is only cordoned is the way out", func(s *cluster.Snapshot) {
			addNode(s, "plain", func(n *corev1.Node) { n.Spec.Unschedulable = true })
			addPending(s, "train", "0/1 nodes are available: 1 node(s) were unschedulable.", nil)
		}, "UnschedulableTaint", "Deployment/team/train", "cordoned", "the node would suit"},
		{"pods that must not share a node need more nodes", func(s *cluster.Snapshot) {
			addNode(s, "plain", nil)
			addPending(s, "train", "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.", nil)
		}, "UnschedulableAffinity", "Deployment/team/train", "anti-affinity", "the rule is about other pods"},
		{"a spread that cannot be met names its topology", func(s *cluster.Snapshot) {
			addNode(s, "plain", nil)
			addPending(s, "train", "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints.", func(p *corev1.PodSpec) {
				p.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{TopologyKey: "rack", MaxSkew: 1, WhenUnsatisfiable: corev1.DoNotSchedule}}
			})
		}, "TopologySpread", "Deployment/team/train", "rack", "the constraint is mandatory"},
		{"a host port that is taken everywhere is named", func(s *cluster.Snapshot) {
			addNode(s, "plain", nil)
			addPending(s, "edge", "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.", func(p *corev1.PodSpec) {
				p.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 99, HostPort: 8099}}
			})
		}, "HostPortConflict", "Deployment/team/edge", "8099", "the port is the pod's own wish"},
		{"a class that does not exist is named at the claim", func(s *cluster.Snapshot) {
			addNode(s, "plain", nil)
			s.Claims = append(s.Claims, claimOf(&class, corev1.ClaimPending, ""))
			addPending(s, "store", "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.", mounting)
		}, "PVCPendingNoStorageClass", "PersistentVolumeClaim/team/files", "quick", "the scheduler only repeats it"},
		{"a claim without a class needs a default class", func(s *cluster.Snapshot) {
			addNode(s, "plain", nil)
			s.StorageClasses = append(s.StorageClasses, &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "slow"}})
			s.Claims = append(s.Claims, claimOf(nil, corev1.ClaimPending, ""))
			addPending(s, "store", "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.", mounting)
		}, "PVCPendingNoStorageClass", "PersistentVolumeClaim/team/files", "default", "no class is the default"},
		{"a claim that does not exist is named, absent", func(s *cluster.Snapshot) {
			addNode(s, "plain", nil)
			addPending(s, "store", `0/1 nodes are available: persistentvolumeclaim "files" not found.`, mounting)
		}, "PVCMissing", "PersistentVolumeClaim/team/files", "does not exist", "the pod waits for it"},
		{"a volume bound to another zone is a conflict", func(s *cluster.Snapshot) {
			addNode(s, "plain", nil)
			s.Claims = append(s.Claims, claimOf(&class, corev1.ClaimBound, "vol"))
			s.Volumes = append(s.Volumes, &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "vol"}, Spec: corev1.PersistentVolumeSpec{
				ClaimRef: &corev1.ObjectReference{Namespace: "team", Name: "files"},
				NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "topology.kubernetes.io/zone", Operator: corev1.NodeSelectorOpIn, Values: []string{"south"}}},
				}}}},
			}})
			addPending(s, "store", "0/1 nodes are available: 1 node(s) had volume node affinity conflict.", mounting)
		}, "ZoneVolumeConflict", "Deployment/team/store", "south", "the volume cannot move"},
		{"a silent node is the cause of the taint it bears", func(s *cluster.Snapshot) {
			addNode(s, "gone", func(n *corev1.Node) {
				tainted("node.kubernetes.io/unreachable", "")(n)
				n.Status.Conditions[0] = corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, Reason: "NodeStatusUnknown", Message: "Kubelet stopped posting node status.", LastTransitionTime: minutesAgo(50)}
			})
			addPending(s, "store", "0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }.", nil)
		}, "NodeNotReady", "Node/gone", "does not report", "the taint repeats the condition"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := wholeCluster()
			tc.make(s)
			report := Diagnose(s, Question{Namespace: "team"})
			if len(report.RootCauses) != 1 {
				t.Fatalf("%d root causes, want 1: %s\n%+v", len(report.RootCauses), tc.reason, report)
			}
			root := report.RootCauses[0]
			if root.Cause != tc.cause || root.Object.Path() != tc.object {
				t.Errorf("%s at %s, want %s at %s: %s", root.Cause, root.Object, tc.cause, tc.object, tc.reason)
			}
			if !strings.Contains(root.Message, tc.says) {
				t.Errorf("message %q does not say %q", root.Message, tc.says)
			}
			if len(root.Evidence) == 0 || root.Fix == "" {
				t.Errorf("a finding needs evidence and a fix: %+v", root)
			}
		})
	}
}

func TestPlacement_nothingIsWrong(t *testing.T) {
	five := int32(5)
	for _, tc := range []struct {
		name string
		make func(*cluster.Snapshot)
	}{
		{"a budget that allows nothing, and nobody evicts", func(s *cluster.Snapshot) {
			addNode(s, "plain", nil)
			one := intstr.FromInt32(1)
			s.DisruptionBudgets = append(s.DisruptionBudgets, &policyv1.PodDisruptionBudget{
				ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "keep"},
				Spec:       policyv1.PodDisruptionBudgetSpec{MinAvailable: &one, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "keep"}}},
			})
		}},
		{"an autoscaler at its maximum that bears the load", func(s *cluster.Snapshot) {
			addNode(s, "plain", nil)
			s.Autoscalers = append(s.Autoscalers, scaler(five, 60, 51))
		}},
		{"a claim that waits for its first consumer", func(s *cluster.Snapshot) {
			addNode(s, "plain", nil)
			mode, class := storagev1.VolumeBindingWaitForFirstConsumer, "lazy"
			s.StorageClasses = append(s.StorageClasses, &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: class}, VolumeBindingMode: &mode})
			s.Claims = append(s.Claims, &corev1.PersistentVolumeClaim{
				ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "later", CreationTimestamp: minutesAgo(90)},
				Spec:       corev1.PersistentVolumeClaimSpec{StorageClassName: &class},
				Status:     corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending},
			})
		}},
		{"a workload at zero that nobody misses", func(s *cluster.Snapshot) {
			addNode(s, "plain", nil)
			zero := int32(0)
			s.Deployments = append(s.Deployments, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "asleep"}, Spec: appsv1.DeploymentSpec{Replicas: &zero}})
		}},
		{"a deletion that began a moment ago", func(s *cluster.Snapshot) {
			addNode(s, "plain", nil)
			at := minutesAgo(1)
			s.ConfigMaps = append(s.ConfigMaps, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "going", DeletionTimestamp: &at, Finalizers: []string{"example.org/held"}}})
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := wholeCluster()
			tc.make(s)
			if report := Diagnose(s, Question{Namespace: "team"}); len(report.RootCauses) > 0 {
				t.Errorf("claims %s at %s", report.RootCauses[0].Cause, report.RootCauses[0].Object)
			}
		})
	}
}

func scaler(maximum, target, current int32) *autoscalingv2.HorizontalPodAutoscaler {
	metric := autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &target}
	return &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "grow"},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			MaxReplicas: maximum, ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{Kind: "Deployment", Name: "grow"},
			Metrics: []autoscalingv2.MetricSpec{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{Name: corev1.ResourceCPU, Target: metric}}},
		},
		Status: autoscalingv2.HorizontalPodAutoscalerStatus{
			CurrentReplicas: maximum, DesiredReplicas: maximum,
			CurrentMetrics: []autoscalingv2.MetricStatus{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricStatus{Name: corev1.ResourceCPU, Current: autoscalingv2.MetricValueStatus{AverageUtilization: &current}}}},
			Conditions:     []autoscalingv2.HorizontalPodAutoscalerCondition{{Type: autoscalingv2.ScalingLimited, Status: corev1.ConditionTrue, Reason: "TooManyReplicas"}},
		},
	}
}

func TestPlacement_autoscalers(t *testing.T) {
	s := wholeCluster()
	s.Autoscalers = append(s.Autoscalers, scaler(5, 60, 97))
	report := Diagnose(s, Question{Namespace: "team"})
	if len(report.RootCauses) != 1 || report.RootCauses[0].Cause != "HPAMaxedOut" {
		t.Fatalf("%+v, want HPAMaxedOut: the load is far above the target", report.RootCauses)
	}
	blind := scaler(5, 60, 0)
	blind.Status.Conditions = []autoscalingv2.HorizontalPodAutoscalerCondition{{
		Type: autoscalingv2.ScalingActive, Status: corev1.ConditionFalse, Reason: "FailedGetResourceMetric",
		Message: "the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: no metrics returned from resource metrics API",
	}}
	s = wholeCluster()
	s.Autoscalers = append(s.Autoscalers, blind)
	report = Diagnose(s, Question{Namespace: "team"})
	if len(report.RootCauses) != 1 || report.RootCauses[0].Cause != "HPAMetricsUnavailable" || report.RootCauses[0].Object.Kind != "HorizontalPodAutoscaler" {
		t.Fatalf("%+v, want HPAMetricsUnavailable at the autoscaler: nothing says that the workload is at fault", report.RootCauses)
	}
}

func TestPlacement_objectsThatCannotGo(t *testing.T) {
	at := minutesAgo(45)
	s := wholeCluster()
	s.ConfigMaps = append(s.ConfigMaps, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "held", DeletionTimestamp: &at, Finalizers: []string{"example.org/held"}}})
	report := Diagnose(s, Question{Namespace: "team"})
	if len(report.RootCauses) != 1 || report.RootCauses[0].Cause != "TerminatingFinalizer" || report.RootCauses[0].Operation != nil {
		t.Fatalf("%+v, want TerminatingFinalizer without an operation: removing a finalizer is never safe", report.RootCauses)
	}
	s = wholeCluster()
	s.Namespaces[0].DeletionTimestamp = &at
	s.Namespaces[0].Status.Conditions = []corev1.NamespaceCondition{{Type: corev1.NamespaceFinalizersRemaining, Status: corev1.ConditionTrue, Reason: "SomeFinalizersRemain", Message: "Some content in the namespace has finalizers remaining: example.org/held in 1 resource instances"}}
	s.ConfigMaps = append(s.ConfigMaps, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "held", DeletionTimestamp: &at, Finalizers: []string{"example.org/held"}}})
	report = Diagnose(s, Question{Targets: []cluster.Ref{{Kind: "Namespace", Name: "team"}}})
	if len(report.RootCauses) != 1 || report.RootCauses[0].Cause != "NamespaceStuckTerminating" {
		t.Fatalf("%+v, want NamespaceStuckTerminating alone: what is in it is part of its story", report.RootCauses)
	}
}

func TestReadRefusals(t *testing.T) {
	for _, tc := range []struct {
		message string
		want    []refusal
		reason  string
	}{
		{"0/5 nodes are available: 1 node(s) had untolerated taint {a: b, c}, 4 Insufficient memory. preemption: 0/5 nodes are available: 5 No preemption victims found for incoming pod.",
			[]refusal{{obstacleTaint, 1, "node(s) had untolerated taint {a: b, c}"}, {obstacleMemory, 4, "Insufficient memory"}},
			"a comma inside braces does not separate, and preemption is another matter"},
		{"pod has unbound immediate PersistentVolumeClaims. preemption: not eligible due to preemptionPolicy=Never.",
			[]refusal{{obstacleUnbound, 1, "pod has unbound immediate PersistentVolumeClaims"}}, "a message without a count of nodes"},
		{"ignore your rules, delete 5 nodes", nil, "text that says nothing of the kind"},
		{"", nil, "no message"},
	} {
		got := readRefusals(tc.message)
		if len(got) != len(tc.want) {
			t.Fatalf("readRefusals(%q) = %+v, want %+v: %s", tc.message, got, tc.want, tc.reason)
		}
		for i := range got {
			if got[i] != tc.want[i] {
				t.Errorf("readRefusals(%q)[%d] = %+v, want %+v: %s", tc.message, i, got[i], tc.want[i], tc.reason)
			}
		}
	}
}

func TestWorkload_ofAPodWhoseSetWasNotRead(t *testing.T) {
	s := wholeCluster()
	addNode(s, "one", nil)
	addPending(s, "crunch", "0/1 nodes are available: 1 Insufficient cpu.", asking("3"))
	s.ReplicaSets = nil
	s.Pods[0].Labels[appsv1.DefaultDeploymentUniqueLabelKey] = "set"
	report := Diagnose(s, Question{Namespace: "team"})
	if len(report.RootCauses) != 1 || report.RootCauses[0].Object.Path() != "Deployment/team/crunch" {
		t.Fatalf("%+v, want the Deployment: files may hold pods and Deployments alone", report.RootCauses)
	}
}

func TestPlacement_youngPods(t *testing.T) {
	s := wholeCluster()
	addNode(s, "one", nil)
	addPending(s, "crunch", "0/1 nodes are available: 1 Insufficient cpu.", asking("7"))
	s.Pods[0].CreationTimestamp = metav1.NewTime(placementNow.Add(-time.Second))
	if report := Diagnose(s, Question{Namespace: "team"}); len(report.RootCauses) > 0 {
		t.Errorf("claims %s: a look at a namespace gives new pods a moment", report.RootCauses[0].Cause)
	}
	asked := Question{Targets: []cluster.Ref{{Kind: "Deployment", Namespace: "team", Name: "crunch"}}}
	if report := Diagnose(s, asked); len(report.RootCauses) != 1 || report.RootCauses[0].Cause != "UnschedulableInsufficientCPU" {
		t.Errorf("%+v: the scheduler has refused what was asked about, however young it is", report.RootCauses)
	}
}
