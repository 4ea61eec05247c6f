package diagnose

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var servicePortMismatch = cause{
	id: "ServicePortMismatch", severity: High,
	check: func(x *exam) {
		complaints := x.complaintsByService()
		for _, r := range x.byKind["Service"] {
			s := get[*corev1.Service](x.index, "Service", r.Namespace, r.Name)
			if s == nil || s.Spec.Type == corev1.ServiceTypeExternalName {
				continue
			}
			pods := slices.DeleteFunc(x.podsSelected(s.Namespace, s.Spec.Selector), func(p *corev1.Pod) bool { return !podReady(p) || p.DeletionTimestamp != nil })
			if len(pods) == 0 {
				continue
			}
			for _, p := range s.Spec.Ports {
				x.checkServicePort(s, p, pods[0], complaints[r])
			}
			x.checkCalledPort(s, complaints[r])
		}
	},
	texts: texts{
		english: map[string]string{
			"ServicePortMismatch.message": "Port %[2]s of %[1]s leads to port %[3]s of the pods of %[4]s, where nothing listens (they have %[5]s)",
			"ServicePortMismatch.name":    "Port %[2]s of %[1]s leads to the port named %[3]s, which no container of %[4]s declares (they have %[5]s)",
			"ServicePortMismatch.called":  "%[4]s calls %[1]s on port %[2]s, which the Service does not have (it has %[3]s)",
			"ServicePortMismatch.fix":     "Set targetPort of port %[2]s in %[1]s to the port on which the pods listen (%[3]s). The pods themselves are ready.",
			"ServicePortMismatch.fixCall": "Let callers use a port that %[1]s has (%[3]s), or add port %[2]s to it.",
		},
		french: map[string]string{
			"ServicePortMismatch.message": "Le port %[2]s de %[1]s mène au port %[3]s des pods de %[4]s, où rien n'écoute (ils ont %[5]s)",
			"ServicePortMismatch.name":    "Le port %[2]s de %[1]s mène au port nommé %[3]s, qu'aucun conteneur de %[4]s ne déclare (ils ont %[5]s)",
			"ServicePortMismatch.called":  "%[4]s appelle %[1]s sur le port %[2]s, que le Service n'a pas (il a %[3]s)",
			"ServicePortMismatch.fix":     "Réglez le targetPort du port %[2]s de %[1]s sur le port où les pods écoutent (%[3]s). Les pods eux-mêmes sont prêts.",
			"ServicePortMismatch.fixCall": "Faites utiliser aux appelants un port que %[1]s possède (%[3]s), ou ajoutez-lui le port %[2]s.",
		},
	},
}

// complaint is what the log of a workload says about something that it calls.
type complaint struct {
	symptom *symptom
	hit     hit
	called  []peer
}

// complaintsByService collects what logs say of Services that do not answer.
func (x *exam) complaintsByService() map[cluster.Ref][]complaint {
	out := map[cluster.Ref][]complaint{}
	for _, s := range x.open(crashing, unready, restarted, complaining, jobFailed) {
		for _, h := range x.hitsOf(s) {
			if h.sig.rank != dependency || h.sig.cause != "CrashDependencyRefused" && h.sig.cause != "NetworkPolicyBlocks" {
				continue
			}
			for _, r := range x.peers(s.work, h) {
				out[r] = append(out[r], complaint{s, h, peersNamed(h)})
			}
		}
	}
	return out
}

// checkServicePort compares where a port of a Service leads with where a ready pod of it listens. What a pod declares
// is no proof by itself: a caller that is refused, or the line with which the process says where it listens, is.
func (x *exam) checkServicePort(s *corev1.Service, p corev1.ServicePort, pod *corev1.Pod, complaints []complaint) {
	declared := declaredPorts(pod, p.Protocol)
	target := targetPort(p, pod)
	wrong := portFault{service: s, port: p, pod: pod, complaints: complaints, text: "message"}
	if target == 0 {
		wrong.target, wrong.has, wrong.text = p.TargetPort.StrVal, declared, "name"
		x.add(x.wrongPort(wrong))
		return
	}
	if s.Spec.ClusterIP == corev1.ClusterIPNone || len(declared) == 0 && len(complaints) == 0 {
		return
	}
	refused := slices.ContainsFunc(complaints, func(c complaint) bool { return x.aboutPort(c, s, p) })
	if slices.Contains(declared, target) && !refused {
		return
	}
	for _, c := range runningContainers(pod) {
		x.wantLogs(pod, c, false)
	}
	listened, lines := x.listened(pod)
	if served(target, listened, declared) {
		return
	}
	wrong.target, wrong.has, wrong.lines = number(target), append(slices.Clone(listened), declared...), lines
	f := x.wrongPort(wrong)
	f.links.onDemand = !refused && len(listened) == 0
	x.add(f)
}

// served says that something listens on a port, as far as the process or, where that says nothing, the pod tells. A pod
// that tells nothing is believed.
func served(port int32, listened, declared []int32) bool {
	if len(listened) > 0 {
		return slices.Contains(listened, port)
	}
	return len(declared) == 0 || slices.Contains(declared, port)
}

// aboutPort says that a complaint is about a port of a Service, as far as it names one.
func (x *exam) aboutPort(c complaint, s *corev1.Service, p corev1.ServicePort) bool {
	for _, one := range c.called {
		if x.service(one.host, c.symptom.work.namespace()) == s && one.port != "" {
			return portNumber(one.port) == p.Port
		}
	}
	return true
}

func declaredPorts(p *corev1.Pod, protocol corev1.Protocol) []int32 {
	var out []int32
	for _, c := range slices.Concat(p.Spec.Containers, p.Spec.InitContainers) {
		for _, one := range c.Ports {
			if one.Protocol == protocol || one.Protocol == "" && protocol == corev1.ProtocolTCP || protocol == "" {
				out = append(out, one.ContainerPort)
			}
		}
	}
	return out
}

// listened returns the ports on which the processes of a pod say that they listen, with the lines.
func (x *exam) listened(p *corev1.Pod) ([]int32, []Evidence) {
	var ports []int32
	var lines []Evidence
	for _, l := range x.logsOf(podRef(p), "") {
		for _, one := range x.lines(l) {
			m := listening.FindStringSubmatchIndex(one.text)
			if m == nil || accessLine.MatchString(one.text) {
				continue
			}
			if n := portNumber(one.text[m[2]:m[3]]); n > 0 && !slices.Contains(ports, n) {
				ports = append(ports, n)
				lines = append(lines, one.cite(m[0]))
			}
		}
	}
	return ports, lines
}

// portFault is a port of a Service that leads where a ready pod does not listen.
type portFault struct {
	service *corev1.Service
	port    corev1.ServicePort
	pod     *corev1.Pod
	// target is where the port leads, has where the pod may listen instead, lines where its process says that it does.
	target string
	has    []int32
	lines  []Evidence
	// complaints are those of callers.
	complaints []complaint
	// text is the last part of the message's name.
	text string
}

func (x *exam) wrongPort(wrong portFault) Finding {
	s, p, pod, has := wrong.service, wrong.port, wrong.pod, wrong.has
	r := ref("Service", s.Namespace, s.Name)
	w := x.podWorkload[podRef(pod)]
	slices.Sort(has)
	has = slices.Compact(has)
	list := portNumbers(has)
	f := Finding{
		Cause: "ServicePortMismatch", Object: r, Message: x.say("ServicePortMismatch."+wrong.text, r.String(), number(p.Port), wrong.target, w.ref.String(), list),
		Fix:      x.say("ServicePortMismatch.fix", r.String(), number(p.Port), list),
		Evidence: []Evidence{field(r, "spec.ports["+number(p.Port)+"].targetPort", wrong.target)},
		links:    links{affects: []cluster.Ref{w.ref}},
	}
	f.Evidence = append(f.Evidence, wrong.lines...)
	for _, c := range pod.Spec.Containers {
		for _, one := range c.Ports {
			f.Evidence = append(f.Evidence, field(podRef(pod), "spec.containers["+c.Name+"].ports.containerPort", one.ContainerPort))
		}
	}
	for n, c := range wrong.complaints {
		if n < 2 {
			f.Evidence = append(f.Evidence, c.hit.evidence())
		}
	}
	f.Evidence = append(f.Evidence, x.controllerLines(s.Namespace, s.Name)...)
	if len(has) == 1 {
		index := slices.IndexFunc(s.Spec.Ports, func(o corev1.ServicePort) bool { return o.Port == p.Port && o.Protocol == p.Protocol })
		f.Operation = replaceOperation(r, "/spec/ports/"+strconv.Itoa(index)+"/targetPort", has[0])
	}
	return f
}

// checkCalledPort reports callers that use a port which a Service does not have.
func (x *exam) checkCalledPort(s *corev1.Service, complaints []complaint) {
	if s.Spec.ClusterIP == corev1.ClusterIPNone {
		return
	}
	r := ref("Service", s.Namespace, s.Name)
	for _, c := range complaints {
		for _, one := range c.called {
			port := portNumber(one.port)
			if port == 0 || x.service(one.host, c.symptom.work.namespace()) != s || slices.ContainsFunc(s.Spec.Ports, func(p corev1.ServicePort) bool { return p.Port == port }) {
				continue
			}
			list := portList(s)
			x.add(Finding{
				Cause: "ServicePortMismatch", Object: r, Message: x.say("ServicePortMismatch.called", r.String(), one.port, list, c.symptom.work.ref.String()),
				Fix:      x.say("ServicePortMismatch.fixCall", r.String(), one.port, list),
				Evidence: append([]Evidence{c.hit.evidence(), field(r, "spec.ports", list)}, x.configuredBy(c.symptom, one.host)...),
				links:    links{affects: []cluster.Ref{c.symptom.work.ref}},
			})
		}
	}
}

// portList words the ports of a Service.
func portList(s *corev1.Service) string {
	var words []string
	for _, p := range s.Spec.Ports {
		word := number(p.Port)
		if p.Name != "" {
			word = p.Name + "=" + word
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

func portNumbers(list []int32) string {
	words := make([]string, 0, len(list))
	for _, n := range list {
		words = append(words, number(n))
	}
	return strings.Join(words, ", ")
}
