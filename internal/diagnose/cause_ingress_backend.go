package diagnose

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var ingressBackendMissing = cause{
	id: "IngressBackendMissing", severity: High,
	check: func(x *exam) {
		for _, r := range x.byKind["Ingress"] {
			i := get[*networkingv1.Ingress](x.index, "Ingress", r.Namespace, r.Name)
			if i == nil || i.DeletionTimestamp != nil {
				continue
			}
			if x.question.Text != "" && x.distance(r) >= 0 {
				x.wantControllers()
			}
			for _, b := range backends(i) {
				x.checkBackend(r, b)
			}
			x.checkClass(r, i)
			x.checkCertificates(r, i)
		}
	},
	texts: texts{
		english: map[string]string{
			"IngressBackendMissing.message":  "%[1]s sends %[2]s to %[3]s, which does not exist",
			"IngressBackendMissing.port":     "%[1]s sends %[2]s to port %[4]s of %[3]s, which has no such port (it has %[5]s)",
			"IngressBackendMissing.class":    "%[1]s asks for IngressClass %[2]s, which does not exist, so no controller serves it",
			"IngressBackendMissing.secret":   "%[1]s takes its certificate from %[2]s, which does not exist",
			"IngressBackendMissing.fix":      "Let %[1]s name a Service that exists, or bring %[2]s back.",
			"IngressBackendMissing.fixLike":  "Let %[1]s name %[3]s instead of %[2]s, or bring %[2]s back.",
			"IngressBackendMissing.fixPort":  "Let %[1]s name a port that %[2]s has (%[3]s).",
			"IngressBackendMissing.fixClass": "Set ingressClassName of %[1]s to a class that exists (%[2]s), or install the controller that it is meant for.",
			"IngressBackendMissing.fixTLS":   "Create %[1]s as a Secret of type kubernetes.io/tls, or see why whoever makes it does not. No operation can invent a certificate.",
		},
		french: map[string]string{
			"IngressBackendMissing.message":  "%[1]s envoie %[2]s vers %[3]s, qui n'existe pas",
			"IngressBackendMissing.port":     "%[1]s envoie %[2]s vers le port %[4]s de %[3]s, qui n'a pas ce port (il a %[5]s)",
			"IngressBackendMissing.class":    "%[1]s demande l'IngressClass %[2]s, qui n'existe pas : aucun contrôleur ne le sert donc",
			"IngressBackendMissing.secret":   "%[1]s prend son certificat dans %[2]s, qui n'existe pas",
			"IngressBackendMissing.fix":      "Faites désigner à %[1]s un Service qui existe, ou rétablissez %[2]s.",
			"IngressBackendMissing.fixLike":  "Faites désigner à %[1]s %[3]s au lieu de %[2]s, ou rétablissez %[2]s.",
			"IngressBackendMissing.fixPort":  "Faites désigner à %[1]s un port que %[2]s possède (%[3]s).",
			"IngressBackendMissing.fixClass": "Donnez à %[1]s un ingressClassName qui existe (%[2]s), ou installez le contrôleur auquel il est destiné.",
			"IngressBackendMissing.fixTLS":   "Créez %[1]s comme Secret de type kubernetes.io/tls, ou cherchez pourquoi celui qui le fabrique ne le fait pas. Aucune opération ne peut inventer un certificat.",
		},
	},
}

// route is one way from an Ingress to a Service.
type route struct {
	backend *networkingv1.IngressServiceBackend
	// what is the host and path; at the JSON path of the backend.
	what, at string
}

func backends(i *networkingv1.Ingress) []route {
	var out []route
	if b := i.Spec.DefaultBackend; b != nil && b.Service != nil {
		out = append(out, route{b.Service, "/", "/spec/defaultBackend/service"})
	}
	for r, rule := range i.Spec.Rules {
		if rule.HTTP == nil {
			continue
		}
		for p, path := range rule.HTTP.Paths {
			if path.Backend.Service != nil {
				out = append(out, route{path.Backend.Service, rule.Host + path.Path, fmt.Sprintf("/spec/rules/%d/http/paths/%d/backend/service", r, p)})
			}
		}
	}
	return out
}

func (x *exam) checkBackend(r cluster.Ref, b route) {
	target := ref("Service", r.Namespace, b.backend.Name)
	f := Finding{Cause: "IngressBackendMissing", Object: r}
	f.Evidence = append(f.Evidence, field(r, "spec.rules["+b.what+"].backend.service.name", b.backend.Name))
	s := get[*corev1.Service](x.index, "Service", r.Namespace, b.backend.Name)
	switch {
	case s == nil && x.absent(target):
		f.Message = x.say("IngressBackendMissing.message", r.String(), b.what, target.String())
		f.Fix = x.say("IngressBackendMissing.fix", r.String(), target.String())
		f.Evidence = append(f.Evidence, cite(AbsenceEvidence, target.String(), target.String()+" does not exist", 0))
		if like := x.likelyService(r.Namespace, b.backend.Name); like != "" {
			f.Fix = x.say("IngressBackendMissing.fixLike", r.String(), target.String(), ref("Service", r.Namespace, like).String())
			f.Evidence = append(f.Evidence, field(ref("Service", r.Namespace, like), "metadata.name", like))
			f.Operation = replaceOperation(r, b.at+"/name", like)
		}
		f.links.affects = []cluster.Ref{target}
	case s != nil && backendPort(s, b.backend.Port) == nil && s.Spec.Type != corev1.ServiceTypeExternalName:
		has := portList(s)
		f.Message = x.say("IngressBackendMissing.port", r.String(), b.what, target.String(), portWord(b.backend.Port), has)
		f.Fix = x.say("IngressBackendMissing.fixPort", r.String(), target.String(), has)
		f.Evidence = append(f.Evidence, backendPortEvidence(r, b), field(target, "spec.ports", has))
		if len(s.Spec.Ports) == 1 {
			f.Operation = replaceOperation(r, b.at+"/port", networkingv1.ServiceBackendPort{Number: s.Spec.Ports[0].Port})
		}
	default:
		return
	}
	f.Evidence = append(f.Evidence, x.controllerLines(r.Namespace, b.backend.Name)...)
	x.add(f)
}

// likelyService is the Service that was meant by a name that does not exist: one letter off, or longer by a part.
func (x *exam) likelyService(namespace, name string) string {
	var names []string
	for _, s := range x.servicesNS[namespace] {
		names = append(names, s.Name)
	}
	if like := similar(name, names); like != "" {
		return like
	}
	found := ""
	for _, n := range names {
		if partOf(name, n) || partOf(n, name) {
			if found != "" {
				return ""
			}
			found = n
		}
	}
	return found
}

func replaceOperation(r cluster.Ref, path string, value any) *Operation {
	return patchOperation(r, "json", []any{map[string]any{"op": "replace", "path": path, "value": value}})
}

func portWord(p networkingv1.ServiceBackendPort) string {
	if p.Name != "" {
		return p.Name
	}
	return number(p.Number)
}

func backendPortEvidence(r cluster.Ref, b route) Evidence {
	part := "number"
	if b.backend.Port.Name != "" {
		part = "name"
	}
	return field(r, "spec.rules["+b.what+"].backend.service.port."+part, portWord(b.backend.Port))
}

// checkClass reports an Ingress whose class does not exist.
func (x *exam) checkClass(r cluster.Ref, i *networkingv1.Ingress) {
	c := i.Spec.IngressClassName
	// An address in the status shows that a controller serves the Ingress, class or no class.
	if c == nil || *c == "" || len(i.Status.LoadBalancer.Ingress) > 0 || !x.absent(ref("IngressClass", "", *c)) {
		return
	}
	others := ""
	for n, o := range x.byKind["IngressClass"] {
		if n > 0 {
			others += ", "
		}
		others += o.Name
	}
	f := Finding{
		Cause: "IngressBackendMissing", Object: r, Message: x.say("IngressBackendMissing.class", r.String(), *c),
		Fix:      x.say("IngressBackendMissing.fixClass", r.String(), others),
		Evidence: []Evidence{field(r, "spec.ingressClassName", *c), cite(AbsenceEvidence, ref("IngressClass", "", *c).String(), "IngressClass/"+*c+" does not exist", 0)},
	}
	if list := x.byKind["IngressClass"]; len(list) == 1 {
		f.Operation = patchOperation(r, "merge", map[string]any{"spec": map[string]any{"ingressClassName": list[0].Name}})
	}
	x.add(f)
}

// checkCertificates reports the Secrets of an Ingress that do not exist: a controller then shows a certificate of its
// own, which no client trusts.
func (x *exam) checkCertificates(r cluster.Ref, i *networkingv1.Ingress) {
	for n, t := range i.Spec.TLS {
		secret := ref("Secret", r.Namespace, t.SecretName)
		if t.SecretName == "" || !x.absent(secret) {
			continue
		}
		x.add(Finding{
			Cause: "MissingSecret", Object: secret, Absent: true, Severity: Medium, Message: x.say("IngressBackendMissing.secret", r.String(), secret.String()),
			Fix:      x.say("IngressBackendMissing.fixTLS", secret.String()),
			Evidence: []Evidence{field(r, fmt.Sprintf("spec.tls[%d].secretName", n), t.SecretName), cite(AbsenceEvidence, secret.String(), secret.String()+" does not exist", 0)},
			links:    links{affects: []cluster.Ref{r}},
		})
	}
}
