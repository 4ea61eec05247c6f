package diagnose

import (
	"regexp"
	"slices"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var hpaMetricsUnavailable = cause{
	id: "HPAMetricsUnavailable", severity: Medium,
	check: func(x *exam) {
		for _, h := range x.snap.Autoscalers {
			if c := scalerCondition(h, autoscalingv2.ScalingActive); c != nil && c.Status == corev1.ConditionFalse && c.Reason != "ScalingDisabled" {
				x.add(x.blindScaler(h, c))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"HPAMetricsUnavailable.message":    "%[1]s gets no usable metric, so %[2]s is not scaled: %[3]s",
			"HPAMetricsUnavailable.request":    "%[1]s cannot compute a utilisation, so %[2]s is not scaled: container %[3]s has no %[4]s request",
			"HPAMetricsUnavailable.fix":        "Make the metric of autoscaler %[1]s available (metrics-server or the adapter that serves it), or scale %[2]s by hand meanwhile.",
			"HPAMetricsUnavailable.server":     "%[1]s serves no metrics because it gets none itself: %[2]s",
			"HPAMetricsUnavailable.fixServer":  "Let %[1]s reach and trust what it measures again, as the line cited says (for kubelets: serving certificates that name their addresses, or the flags that were dropped).",
			"HPAMetricsUnavailable.fixRequest": "Give container %[3]s of %[2]s a %[4]s request, or measure one container only (metric type ContainerResource).",
		},
		french: map[string]string{
			"HPAMetricsUnavailable.message":    "%[1]s ne reçoit aucune métrique utilisable, si bien que %[2]s n'est pas mis à l'échelle : %[3]s",
			"HPAMetricsUnavailable.request":    "%[1]s ne peut calculer d'utilisation, si bien que %[2]s n'est pas mis à l'échelle : le conteneur %[3]s n'a pas de requête %[4]s",
			"HPAMetricsUnavailable.fix":        "Rendez la métrique de l'autoscaler %[1]s disponible (metrics-server ou l'adaptateur qui la sert), ou changez l'échelle de %[2]s à la main entre-temps.",
			"HPAMetricsUnavailable.server":     "%[1]s ne sert aucune métrique parce qu'il n'en reçoit pas lui-même : %[2]s",
			"HPAMetricsUnavailable.fixServer":  "Permettez à %[1]s d'atteindre ce qu'il mesure et de lui faire confiance, comme le dit la ligne citée (pour les kubelets : des certificats de service qui nomment leurs adresses, ou les options retirées).",
			"HPAMetricsUnavailable.fixRequest": "Donnez au conteneur %[3]s de %[2]s une requête %[4]s, ou ne mesurez qu'un conteneur (métrique de type ContainerResource).",
		},
	},
}

var hpaMaxedOut = cause{
	id: "HPAMaxedOut", severity: Medium,
	check: func(x *exam) {
		for _, h := range x.snap.Autoscalers {
			c := scalerCondition(h, autoscalingv2.ScalingLimited)
			if c != nil && c.Status == corev1.ConditionTrue && c.Reason == "TooManyReplicas" && h.Status.CurrentReplicas >= h.Spec.MaxReplicas {
				x.maxedOut(h, c)
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"HPAMaxedOut.message": "%[1]s stands at its maximum of %[2]s replicas of %[3]s, and the load is still above target (%[4]s)",
			"HPAMaxedOut.fix":     "Raise maxReplicas of autoscaler %[1]s if nodes and dependencies can bear it, or find out where the load comes from.",
		},
		french: map[string]string{
			"HPAMaxedOut.message": "%[1]s est à son maximum de %[2]s réplicas de %[3]s, et la charge reste au-dessus de la cible (%[4]s)",
			"HPAMaxedOut.fix":     "Augmentez maxReplicas de l'autoscaler %[1]s si les nœuds et les dépendances le supportent, ou cherchez d'où vient la charge.",
		},
	},
}

func scalerCondition(h *autoscalingv2.HorizontalPodAutoscaler, t autoscalingv2.HorizontalPodAutoscalerConditionType) *autoscalingv2.HorizontalPodAutoscalerCondition {
	for i := range h.Status.Conditions {
		if h.Status.Conditions[i].Type == t {
			return &h.Status.Conditions[i]
		}
	}
	return nil
}

func scaledRef(h *autoscalingv2.HorizontalPodAutoscaler) cluster.Ref {
	return ref(h.Spec.ScaleTargetRef.Kind, h.Namespace, h.Spec.ScaleTargetRef.Name)
}

var missingRequest = regexp.MustCompile(`missing request for (\S+)(?: in container (\S+))?`)

// blindScaler tells a missing request, which the workload has to mend, from a metric that nobody serves.
func (x *exam) blindScaler(h *autoscalingv2.HorizontalPodAutoscaler, c *autoscalingv2.HorizontalPodAutoscalerCondition) Finding {
	r, scaled := ref("HorizontalPodAutoscaler", h.Namespace, h.Name), scaledRef(h)
	f := Finding{Cause: "HPAMetricsUnavailable", Object: r, links: links{affects: []cluster.Ref{scaled}, since: c.LastTransitionTime.Time}}
	f.Evidence = []Evidence{
		field(r, "status.conditions[ScalingActive].status", c.Status),
		cite(FieldEvidence, r.String()+" status.conditions[ScalingActive]", "type: ScalingActive", 0),
		field(r, "status.conditions[ScalingActive].reason", c.Reason),
		field(r, "status.conditions[ScalingActive].message", c.Message),
	}
	if e := x.lastEvent([]cluster.Ref{r}, "FailedGetResourceMetric", "FailedComputeMetricsReplicas", "FailedGetExternalMetric", "FailedGetPodsMetric", "FailedGetObjectMetric"); e != nil {
		f.Evidence = append(f.Evidence, event(e))
	}
	f.Message, f.Fix = x.say("HPAMetricsUnavailable.message", r.String(), scaled.String(), c.Message), x.say("HPAMetricsUnavailable.fix", h.Name, scaled.String())
	if m := missingRequest.FindStringSubmatch(c.Message); m != nil {
		w, container := x.workloads[scaled], m[2]
		if container == "" {
			container = withoutRequest(w, corev1.ResourceName(m[1]))
		}
		f.Object, f.links.affects = scaled, []cluster.Ref{r}
		f.Message = x.say("HPAMetricsUnavailable.request", r.String(), scaled.String(), container, m[1])
		f.Fix = x.say("HPAMetricsUnavailable.fixRequest", h.Name, scaled.String(), container, m[1])
		return f
	}
	switch server := x.metricsServer(metricsGroup(c.Message)); {
	case podsNotMeasured.MatchString(c.Message) && x.failing(scaled):
		f.links.echo = true
		f.links.needs = []cluster.Ref{scaled}
	case strings.Contains(c.Message, "metrics.k8s.io"):
		f.links.needs = server
		f.links.causedBy = append(f.links.causedBy, x.blindServer(server)...)
	}
	return f
}

// podsNotMeasured recognises that the metrics are served and none is of the pods in question, as for pods that crash.
var podsNotMeasured = regexp.MustCompile(`did not receive metrics for (?:targeted|any ready) pods|pods might be unready|no metrics returned from (?:resource|custom)|no recommendation`)

// failing says that a workload has no pod that is ready, or shows a trouble of its own.
func (x *exam) failing(r cluster.Ref) bool {
	w := x.workloads[r]
	return w != nil && slices.ContainsFunc(x.symptomsOf[w], func(s *symptom) bool { return !s.weak() })
}

// metricsGroup is the API group whose metrics a message speaks of.
func metricsGroup(message string) string {
	for _, group := range []string{"custom.metrics.k8s.io", "external.metrics.k8s.io"} {
		if strings.Contains(message, group) {
			return group
		}
	}
	return "metrics.k8s.io"
}

// withoutRequest is the first container of a workload that asks for none of a resource.
func withoutRequest(w *workload, name corev1.ResourceName) string {
	if w == nil {
		return ""
	}
	for i := range w.template.Spec.Containers {
		if _, ok := w.template.Spec.Containers[i].Resources.Requests[name]; !ok {
			return w.template.Spec.Containers[i].Name
		}
	}
	return ""
}

// metricsServer is the Service behind an API group of metrics, where the API server says which it is; for the resource
// metrics else the one that is usually called so.
func (x *exam) metricsServer(group string) []cluster.Ref {
	for _, o := range x.snap.Others {
		if _, of, _ := strings.Cut(o.GetName(), "."); o.GetKind() != "APIService" || of != group {
			continue
		}
		service, _ := o.Object["spec"].(map[string]any)
		at, _ := service["service"].(map[string]any)
		name, _ := at["name"].(string)
		namespace, _ := at["namespace"].(string)
		if name != "" {
			return []cluster.Ref{ref("Service", namespace, name)}
		}
	}
	if group != "metrics.k8s.io" {
		return nil
	}
	return []cluster.Ref{ref("Service", "kube-system", "metrics-server")}
}

// maxedOut holds only where a metric is above its target: at the maximum with a load that is borne nothing is wrong.
func (x *exam) maxedOut(h *autoscalingv2.HorizontalPodAutoscaler, c *autoscalingv2.HorizontalPodAutoscalerCondition) {
	over := overTarget(h)
	if over == "" {
		return
	}
	r, scaled := ref("HorizontalPodAutoscaler", h.Namespace, h.Name), scaledRef(h)
	x.add(Finding{
		Cause: "HPAMaxedOut", Object: r, links: links{affects: []cluster.Ref{scaled}, since: c.LastTransitionTime.Time},
		Message: x.say("HPAMaxedOut.message", r.String(), number(h.Spec.MaxReplicas), scaled.String(), over),
		Fix:     x.say("HPAMaxedOut.fix", h.Name),
		Evidence: []Evidence{
			field(r, "spec.maxReplicas", h.Spec.MaxReplicas),
			field(r, "status.currentReplicas", h.Status.CurrentReplicas),
			field(r, "status.conditions[ScalingLimited].reason", c.Reason),
			field(r, "status.conditions[ScalingLimited].message", c.Message),
			cite(FieldEvidence, r.String()+" status.currentMetrics", over, 0),
		},
		Operation: patchOperation(r, "merge", map[string]any{"spec": map[string]any{"maxReplicas": h.Spec.MaxReplicas + max(1, h.Spec.MaxReplicas/2)}}),
	})
}

// overTarget says which resource metric is above its target by more than the controller tolerates, as
// "averageUtilization: 97 > 70"; empty where none is. A metric of another sort is taken at the controller's word.
func overTarget(h *autoscalingv2.HorizontalPodAutoscaler) string {
	const tolerance = 1.1
	for _, m := range h.Spec.Metrics {
		for _, c := range h.Status.CurrentMetrics {
			want, have := targets(m), currents(c)
			if m.Type != c.Type || want.name != have.name {
				continue
			}
			if want.value > 0 && float64(have.value) > tolerance*float64(want.value) {
				return have.what + ": " + number(have.value) + " > " + number(want.value)
			}
		}
	}
	return ""
}

// measure is a metric's name and value, in percent or milli-units.
type measure struct {
	name, what string
	value      int64
}

func targets(m autoscalingv2.MetricSpec) measure {
	name, t := "", autoscalingv2.MetricTarget{}
	switch {
	case m.Resource != nil:
		name, t = string(m.Resource.Name), m.Resource.Target
	case m.ContainerResource != nil:
		name, t = string(m.ContainerResource.Name)+"/"+m.ContainerResource.Container, m.ContainerResource.Target
	case m.Pods != nil:
		name, t = m.Pods.Metric.Name, m.Pods.Target
	case m.External != nil:
		name, t = m.External.Metric.Name, m.External.Target
	case m.Object != nil:
		name, t = m.Object.Metric.Name, m.Object.Target
	}
	switch {
	case t.AverageUtilization != nil:
		return measure{name, "averageUtilization", int64(*t.AverageUtilization)}
	case t.AverageValue != nil:
		return measure{name, "averageValue", t.AverageValue.MilliValue()}
	case t.Value != nil:
		return measure{name, "value", t.Value.MilliValue()}
	}
	return measure{name: name}
}

func currents(m autoscalingv2.MetricStatus) measure {
	name, c := "", autoscalingv2.MetricValueStatus{}
	switch {
	case m.Resource != nil:
		name, c = string(m.Resource.Name), m.Resource.Current
	case m.ContainerResource != nil:
		name, c = string(m.ContainerResource.Name)+"/"+m.ContainerResource.Container, m.ContainerResource.Current
	case m.Pods != nil:
		name, c = m.Pods.Metric.Name, m.Pods.Current
	case m.External != nil:
		name, c = m.External.Metric.Name, m.External.Current
	case m.Object != nil:
		name, c = m.Object.Metric.Name, m.Object.Current
	}
	switch {
	case c.AverageUtilization != nil:
		return measure{name, "averageUtilization", int64(*c.AverageUtilization)}
	case c.AverageValue != nil:
		return measure{name, "averageValue", c.AverageValue.MilliValue()}
	case c.Value != nil:
		return measure{name, "value", c.Value.MilliValue()}
	}
	return measure{name: name}
}
