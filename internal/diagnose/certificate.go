package diagnose

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/eclusier/eclusier/internal/cluster"
)

// certificates returns the Secrets with a certificate that a workload mounts or reads.
func (x *exam) certificates(w *workload) []*cluster.Secret {
	var out []*cluster.Secret
	for _, u := range podUses(w.namespace(), &w.template.Spec) {
		s := get[*cluster.Secret](x.index, "Secret", u.ref.Namespace, u.ref.Name)
		if u.ref.Kind == "Secret" && s != nil && !u.pull && holdsCertificate(s) && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func holdsCertificate(s *cluster.Secret) bool {
	return s.Type == corev1.SecretTypeTLS || !s.CertificateNotAfter.IsZero() || slices.ContainsFunc(s.Keys, func(k string) bool {
		return strings.HasSuffix(k, ".crt") || strings.HasSuffix(k, ".pem") || strings.HasSuffix(k, ".p12") || strings.HasSuffix(k, ".jks")
	})
}

// expiredOf chooses the certificate that is over: one known to be, or the only one there is.
func (x *exam) expiredOf(list []*cluster.Secret) *cluster.Secret {
	for _, s := range list {
		if x.over(s) {
			return s
		}
	}
	if len(list) == 1 && list[0].CertificateNotAfter.IsZero() {
		return list[0]
	}
	return nil
}

func (x *exam) over(s *cluster.Secret) bool {
	return !s.CertificateNotAfter.IsZero() && s.CertificateNotAfter.Before(x.now)
}

// hostCertificates returns the Secrets with the certificates that Ingresses show for a host.
func (x *exam) hostCertificates(host string) []*cluster.Secret {
	var out []*cluster.Secret
	for _, r := range x.byKind["Ingress"] {
		i := get[*networkingv1.Ingress](x.index, "Ingress", r.Namespace, r.Name)
		if i == nil {
			continue
		}
		for _, t := range i.Spec.TLS {
			s := get[*cluster.Secret](x.index, "Secret", r.Namespace, t.SecretName)
			if s != nil && slices.ContainsFunc(t.Hosts, func(h string) bool { return hostFits(h, host) }) {
				out = append(out, s)
			}
		}
	}
	return out
}

// hostFits says that a host is the one of a certificate, which may begin with a wildcard.
func hostFits(pattern, host string) bool {
	if rest, wild := strings.CutPrefix(pattern, "*."); wild {
		_, domain, ok := strings.Cut(host, ".")
		return ok && strings.EqualFold(domain, rest)
	}
	return strings.EqualFold(pattern, host)
}

// certificateEvidence cites a Secret with a certificate: its name, its expiry and what annotations say of it.
func (x *exam) certificateEvidence(s *cluster.Secret) []Evidence {
	r := ref("Secret", s.Namespace, s.Name)
	out := []Evidence{field(r, "metadata.name", s.Name)}
	if !s.CertificateNotAfter.IsZero() {
		out = append(out, field(r, `data.tls\.crt.notAfter`, s.CertificateNotAfter.UTC().Format(time.RFC3339)))
	}
	for _, k := range sortedKeys(s.Annotations) {
		if low := strings.ToLower(k); strings.Contains(low, "cert") || strings.Contains(low, "expir") || strings.Contains(low, "not-after") {
			out = append(out, entry(r, "metadata.annotations", k, s.Annotations[k]))
		}
	}
	return out
}

// managed returns the cert-manager Certificate that makes a Secret, nil where there is none.
func (x *exam) managed(s *cluster.Secret) *unstructured.Unstructured {
	for _, r := range x.byKind["Certificate"] {
		c := get[*unstructured.Unstructured](x.index, "Certificate", r.Namespace, r.Name)
		if c == nil || r.Namespace != s.Namespace {
			continue
		}
		if name, _, _ := unstructured.NestedString(c.Object, "spec", "secretName"); name == s.Name {
			return c
		}
	}
	return nil
}

// certificateTrouble cites the conditions of a Certificate that is not ready and why it is not renewed.
func certificateTrouble(c *unstructured.Unstructured) []Evidence {
	r := ref(c.GetKind(), c.GetNamespace(), c.GetName())
	var out []Evidence
	if t, ok, _ := unstructured.NestedString(c.Object, "status", "notAfter"); ok {
		out = append(out, field(r, "status.notAfter", t))
	}
	list, _, _ := unstructured.NestedSlice(c.Object, "status", "conditions")
	for _, one := range list {
		m, ok := one.(map[string]any)
		if !ok {
			continue
		}
		kind, _ := m["type"].(string)
		reason, _ := m["reason"].(string)
		message, _ := m["message"].(string)
		out = append(out, field(r, "status.conditions["+kind+"].reason", reason), field(r, "status.conditions["+kind+"].message", message))
	}
	return out
}
