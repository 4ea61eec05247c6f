package diagnose

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/eclusier/eclusier/internal/cluster"
)

var tlsCertExpired = cause{
	id: "TLSCertExpired", severity: High,
	check: func(x *exam) {
		for _, r := range x.byKind["Ingress"] {
			i := get[*networkingv1.Ingress](x.index, "Ingress", r.Namespace, r.Name)
			if i == nil {
				continue
			}
			for _, t := range i.Spec.TLS {
				if s := get[*cluster.Secret](x.index, "Secret", r.Namespace, t.SecretName); s != nil && x.over(s) {
					x.add(x.expired(s, r))
				}
			}
		}
		for _, w := range x.workloadList {
			for _, s := range x.certificates(w) {
				if x.over(s) && w.desired > 0 {
					x.add(x.expired(s, w.ref))
				}
			}
		}
		x.checkManaged()
	},
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		f := x.fromLog("TLSCertExpired", s, h)
		secret := x.expiredBehind(s, h)
		if secret == nil {
			f.Object = x.servingWorkload(s, h)
			f.Message = x.say("TLSCertExpired.unknown", s.work.ref.String(), f.Object.String())
			f.Fix = x.say("TLSCertExpired.fixUnknown", f.Object.String())
			return f
		}
		known := x.expired(secret, s.work.ref)
		known.Evidence = append(f.Evidence, known.Evidence...)
		known.links.explains = f.links.explains
		return &known
	},
	texts: texts{
		english: map[string]string{
			"TLSCertExpired.message":    "The certificate in %[1]s, which %[2]s relies on, has expired",
			"TLSCertExpired.dated":      "The certificate in %[1]s, which %[2]s relies on, expired on %[3]s",
			"TLSCertExpired.managed":    "%[1]s is not renewed, and its certificate expired on %[2]s",
			"TLSCertExpired.unknown":    "%[1]s is refused or refuses because a certificate of %[2]s has expired",
			"TLSCertExpired.fix":        "Renew the certificate in %[1]s and see why it was not renewed in time; what has loaded it may need a restart. Do not turn verification off.",
			"TLSCertExpired.fixUnknown": "Renew the certificate that %[1]s uses and restart what has loaded it. Do not turn verification off.",
		},
		french: map[string]string{
			"TLSCertExpired.message":    "Le certificat de %[1]s, dont dépend %[2]s, a expiré",
			"TLSCertExpired.dated":      "Le certificat de %[1]s, dont dépend %[2]s, a expiré le %[3]s",
			"TLSCertExpired.managed":    "%[1]s n'est pas renouvelé, et son certificat a expiré le %[2]s",
			"TLSCertExpired.unknown":    "%[1]s est refusé ou refuse parce qu'un certificat de %[2]s a expiré",
			"TLSCertExpired.fix":        "Renouvelez le certificat de %[1]s et cherchez pourquoi il ne l'a pas été à temps ; ce qui l'a chargé peut devoir redémarrer. Ne désactivez pas la vérification.",
			"TLSCertExpired.fixUnknown": "Renouvelez le certificat qu'utilise %[1]s et redémarrez ce qui l'a chargé. Ne désactivez pas la vérification.",
		},
	},
}

// expired is the finding of a Secret whose certificate is over, or of the Certificate that should have renewed it.
func (x *exam) expired(s *cluster.Secret, user cluster.Ref) Finding {
	r := ref("Secret", s.Namespace, s.Name)
	f := Finding{
		Cause: "TLSCertExpired", Object: r, Message: x.say("TLSCertExpired.message", r.String(), user.String()),
		Fix: x.say("TLSCertExpired.fix", r.String()), Evidence: x.certificateEvidence(s),
		links: links{affects: []cluster.Ref{user}},
	}
	if !s.CertificateNotAfter.IsZero() {
		f.Message = x.say("TLSCertExpired.dated", r.String(), user.String(), s.CertificateNotAfter.UTC().Format(time.RFC3339))
	}
	if c := x.managed(s); c != nil {
		f.Object = ref("Certificate", c.GetNamespace(), c.GetName())
		f.Evidence = append(f.Evidence, certificateTrouble(c)...)
		f.links.affects = append(f.links.affects, r)
	}
	return f
}

// checkManaged reports Certificates of cert-manager that are over by their own status.
func (x *exam) checkManaged() {
	for _, r := range x.byKind["Certificate"] {
		c := get[*unstructured.Unstructured](x.index, "Certificate", r.Namespace, r.Name)
		if c == nil {
			continue
		}
		text, _, _ := unstructured.NestedString(c.Object, "status", "notAfter")
		at, err := time.Parse(time.RFC3339, text)
		if err != nil || !at.Before(x.now) {
			continue
		}
		secret, _, _ := unstructured.NestedString(c.Object, "spec", "secretName")
		x.add(Finding{
			Cause: "TLSCertExpired", Object: r, Message: x.say("TLSCertExpired.managed", r.String(), text), Fix: x.say("TLSCertExpired.fix", r.String()),
			Evidence: certificateTrouble(c), links: links{affects: []cluster.Ref{ref("Secret", r.Namespace, secret)}},
		})
	}
}

// expiredBehind finds the certificate that a line speaks of: of what was called or, failing that, of the workload
// itself, which a server tells of its own certificate too.
func (x *exam) expiredBehind(s *symptom, h hit) *cluster.Secret {
	for _, p := range peersNamed(h) {
		if found := x.expiredOf(x.hostCertificates(p.host)); found != nil {
			return found
		}
		if sv := x.service(p.host, s.work.namespace()); sv != nil {
			for _, w := range x.workloadsSelected(sv.Namespace, sv.Spec.Selector) {
				if found := x.expiredOf(x.certificates(w)); found != nil {
					return found
				}
			}
		}
	}
	x.peers(s.work, h)
	return x.expiredOf(x.certificates(s.work))
}

// servingWorkload is what shows the expired certificate where no Secret is known: what was called, or the workload.
func (x *exam) servingWorkload(s *symptom, h hit) cluster.Ref {
	for _, r := range x.peers(s.work, h) {
		if sv := get[*corev1.Service](x.index, "Service", r.Namespace, r.Name); sv != nil {
			if list := x.workloadsSelected(sv.Namespace, sv.Spec.Selector); len(list) > 0 {
				return list[0].ref
			}
		}
	}
	return s.work.ref
}

// addBackendCertificate makes the certificate of a webhook's backend the cause of its unavailability.
func (x *exam) addBackendCertificate(f *Finding, service cluster.Ref) {
	sv := get[*corev1.Service](x.index, "Service", service.Namespace, service.Name)
	if sv == nil {
		return
	}
	for _, w := range x.workloadsSelected(sv.Namespace, sv.Spec.Selector) {
		if s := x.expiredOf(x.certificates(w)); s != nil {
			root := x.expired(s, w.ref)
			root.Evidence = append(root.Evidence, f.Evidence...)
			f.links.causedBy = append(f.links.causedBy, x.add(root))
		}
	}
}
