package diagnose

import (
	"net"
	"regexp"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var admissionWebhookUnavailable = cause{
	id: "AdmissionWebhookUnavailable", severity: Critical,
	check: func(x *exam) {
		for _, r := range x.denials() {
			if m := webhookFailure.FindStringSubmatch(r.message); m != nil {
				f := x.webhookFault(m[1], m[2])
				f.Evidence = append(slices.Clone(r.evidence), f.Evidence...)
				f.links.explains = x.alsoStalled(r.symptom)
				f.links.affects = append(f.links.affects, r.work.ref)
				x.add(f)
			}
		}
	},
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		f := x.webhookFault(h.vars["name"], h.vars["value"])
		f.Evidence = append([]Evidence{h.evidence()}, f.Evidence...)
		f.links.explains = []*symptom{s}
		return &f
	},
	texts: texts{
		english: map[string]string{
			"AdmissionWebhookUnavailable.message": "The API server cannot call the admission webhook %[1]s of %[2]s and therefore refuses objects: %[3]s",
			"AdmissionWebhookUnavailable.zero":    "%[4]s, the backend of the admission webhook %[1]s of %[2]s, has no replicas, and therefore the API server refuses objects: %[3]s",
			"AdmissionWebhookUnavailable.fix":     "Bring the backend of webhook %[1]s (%[3]s) back. If it is gone for good, remove %[2]s; that is for its owner to decide.",
			"AdmissionWebhookUnavailable.fixZero": "Scale %[4]s up again and see that nothing scales it down: without it, webhook %[1]s of %[2]s refuses everything.",
		},
		french: map[string]string{
			"AdmissionWebhookUnavailable.message": "Le serveur d'API ne peut pas appeler le webhook d'admission %[1]s de %[2]s et refuse donc des objets : %[3]s",
			"AdmissionWebhookUnavailable.zero":    "%[4]s, derrière le webhook d'admission %[1]s de %[2]s, n'a aucune réplique, et le serveur d'API refuse donc des objets : %[3]s",
			"AdmissionWebhookUnavailable.fix":     "Rétablissez ce qui sert le webhook %[1]s (%[3]s). S'il a disparu pour de bon, supprimez %[2]s ; c'est à son propriétaire d'en décider.",
			"AdmissionWebhookUnavailable.fixZero": "Remettez des répliques à %[4]s et veillez à ce que rien ne l'éteigne : sans lui, le webhook %[1]s de %[2]s refuse tout.",
		},
	},
}

// webhookFailure is how the API server words a webhook that it could not call.
var webhookFailure = regexp.MustCompile(`failed calling webhook \\*"([^"\\]+)\\*": (.*)`)

// calledURL is the address in such a message: https://service.namespace.svc:port/path.
var calledURL = regexp.MustCompile(`https?://([^/"\\?]+)`)

// webhook is one webhook of a configuration.
type webhook struct {
	config cluster.Ref
	policy *admissionregistrationv1.FailurePolicyType
	client admissionregistrationv1.WebhookClientConfig
}

func (x *exam) webhookNamed(name string) (webhook, bool) {
	for _, c := range x.snap.ValidatingWebhooks {
		for _, w := range c.Webhooks {
			if w.Name == name {
				return webhook{ref("ValidatingWebhookConfiguration", "", c.Name), w.FailurePolicy, w.ClientConfig}, true
			}
		}
	}
	for _, c := range x.snap.MutatingWebhooks {
		for _, w := range c.Webhooks {
			if w.Name == name {
				return webhook{ref("MutatingWebhookConfiguration", "", c.Name), w.FailurePolicy, w.ClientConfig}, true
			}
		}
	}
	return webhook{}, false
}

// webhookFault is the finding of a webhook that cannot be called. It lies at the configuration, unless the backend was
// given no replicas: then that is what has to change. What else ails the backend is its cause.
func (x *exam) webhookFault(name, why string) Finding {
	x.want(cluster.Want{What: cluster.WantCluster})
	service := backendOf(why)
	hook, known := x.webhookNamed(name)
	f := Finding{Cause: "AdmissionWebhookUnavailable", Object: ref("ValidatingWebhookConfiguration", "", name)}
	if known {
		f.Object = hook.config
		policy := admissionregistrationv1.Fail
		if hook.policy != nil {
			policy = *hook.policy
		}
		f.Evidence = append(f.Evidence, field(hook.config, "webhooks["+name+"].failurePolicy", policy), field(hook.config, "webhooks.name", name))
		if s := hook.client.Service; s != nil {
			service = ref("Service", s.Namespace, s.Name)
			f.Evidence = append(f.Evidence, field(hook.config, "webhooks["+name+"].clientConfig.service.name", s.Name))
		}
	}
	config := f.Object
	f.Message = x.say("AdmissionWebhookUnavailable.message", name, config.String(), lastClause(why))
	f.Fix = x.say("AdmissionWebhookUnavailable.fix", name, config.String(), service.String())
	if service.Name == "" {
		return f
	}
	x.want(cluster.Want{What: cluster.WantNamespace, Namespace: service.Namespace})
	f.links.affects = []cluster.Ref{config, service}
	if x.absent(service) {
		f.Evidence = append(f.Evidence, cite(AbsenceEvidence, service.String(), service.String()+" does not exist", 0))
		return f
	}
	if w := x.idleBehind(service); w != nil {
		f.Object = w.ref
		f.Message = x.say("AdmissionWebhookUnavailable.zero", name, config.String(), lastClause(why), w.ref.String())
		f.Fix = x.say("AdmissionWebhookUnavailable.fixZero", name, config.String(), service.String(), w.ref.String())
		f.Evidence = append(f.Evidence, field(w.ref, "spec.replicas", w.desired))
		f.Evidence = append(f.Evidence, x.scaledBy(w)...)
		f.Operation = scaleOperation(w.ref, x.formerReplicas(w))
		return f
	}
	f.links.needs = []cluster.Ref{service}
	if strings.Contains(why, "expired") {
		x.addBackendCertificate(&f, service)
	}
	return f
}

// backendOf reads the Service out of the address that was called.
func backendOf(why string) cluster.Ref {
	m := calledURL.FindStringSubmatch(why)
	if m == nil {
		return cluster.Ref{}
	}
	host := m[1]
	if one, _, err := net.SplitHostPort(host); err == nil {
		host = one
	}
	parts := strings.Split(host, ".")
	if len(parts) >= 3 && parts[2] == "svc" {
		return ref("Service", parts[1], parts[0])
	}
	return cluster.Ref{}
}

// lastClause is the end of a wrapped error, which names its cause.
func lastClause(s string) string {
	if i := strings.LastIndex(s, `": `); i >= 0 && i+3 < len(s) {
		return s[i+3:]
	}
	return s
}

// idleBehind is the workload behind a Service that was told to have no replicas, nil where there is none.
func (x *exam) idleBehind(service cluster.Ref) *workload {
	s := get[*corev1.Service](x.index, "Service", service.Namespace, service.Name)
	if s == nil {
		return nil
	}
	list := x.workloadsSelected(s.Namespace, s.Spec.Selector)
	if len(list) == 0 || slices.ContainsFunc(list, func(w *workload) bool { return w.desired > 0 }) {
		return nil
	}
	return list[0]
}
