package diagnose

import (
	"regexp"
	"slices"
	"strings"

	"github.com/eclusier/eclusier/internal/cluster"
)

var credentialsRejected = cause{
	id: "CredentialsRejected", severity: High,
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		if x.alsoSays(s, "ExpiredToken", "ClockSkew", "TLSCertExpired") {
			return nil
		}
		client := s
		if p, about := x.complainsOfClients(s, h); about {
			if p == nil {
				return nil
			}
			client = &symptom{kind: s.kind, work: x.podWorkload[podRef(p)], pods: append(client.pods[:0:0], p)}
		}
		return x.credentialFault("CredentialsRejected", client, s, h)
	},
	texts: texts{
		english: map[string]string{
			"CredentialsRejected.message": "The credentials of %[1]s are refused: %[2]s",
			"CredentialsRejected.secret":  "The credentials that %[1]s takes from %[3]s are refused: %[2]s",
			"CredentialsRejected.fix":     "Put credentials into %[1]s that what it calls accepts, and restart %[2]s. Whether the client's or the server's are right is for their owner to say, so no operation is proposed.",
		},
		french: map[string]string{
			"CredentialsRejected.message": "Les identifiants de %[1]s sont refusés : %[2]s",
			"CredentialsRejected.secret":  "Les identifiants que %[1]s prend dans %[3]s sont refusés : %[2]s",
			"CredentialsRejected.fix":     "Mettez dans %[1]s des identifiants que le service appelé accepte, puis redémarrez %[2]s. Seul leur propriétaire peut dire lesquels sont justes, aucune opération n'est donc proposée.",
		},
	},
}

// alsoSays says that the logs of a symptom show a signature of one of the causes.
func (x *exam) alsoSays(s *symptom, causes ...CauseID) bool {
	return slices.ContainsFunc(x.hitsOf(s), func(h hit) bool { return slices.Contains(causes, h.sig.cause) })
}

// credentialFault is the finding of credentials that a client has and that are refused or over. It lies at the Secret
// that holds them, or at the client where that is not clear. s is the symptom whose log shows h.
func (x *exam) credentialFault(id CauseID, client, s *symptom, h hit) *Finding {
	f := x.fromLog(id, s, h)
	f.Object = client.work.ref
	f.Message = x.say(string(id)+".message", client.work.ref.String(), h.text[h.focus:])
	f.Evidence = append(f.Evidence, x.alsoSaid(s, h)...)
	f.links.affects = []cluster.Ref{client.work.ref}
	secret, paths := x.secretBehind(client, h)
	if secret.Name != "" {
		f.Object = secret
		f.Message = x.say(string(id)+".secret", client.work.ref.String(), h.text[h.focus:], secret.String())
		f.Evidence = append(f.Evidence, paths[:min(len(paths), 2)]...)
		f.Evidence = append(f.Evidence, x.changedSecret(secret)...)
	}
	if user := h.given("name", "name2"); len(user) > 2 {
		f.Evidence = append(f.Evidence, x.rotations(client, h, user)...)
	}
	f.Fix = x.say(string(id)+".fix", f.Object.String(), client.work.ref.String())
	return f
}

// alsoSaid cites other lines of the same kind in the logs of a symptom: a client says first that it was refused and
// then why.
func (x *exam) alsoSaid(s *symptom, h hit) []Evidence {
	var out []Evidence
	for _, o := range x.hitsOf(s) {
		if o.sig != h.sig && (o.sig.cause == h.sig.cause || o.sig.cause == "CredentialsRejected") && len(out) < 2 {
			out = append(out, o.evidence())
		}
	}
	return out
}

var (
	rotationNames = regexp.MustCompile(`(?i)rotat|cred|passw|secret|vault|user`)
	rotationWords = regexp.MustCompile(`(?i)rotat|updated|changed|altered|alter user|revoked|reset|new password|renewed`)
)

// calledNamespaces asks for the namespaces that a workload is known to call and returns them, its own first.
func (x *exam) calledNamespaces(w *workload, h hit) []string {
	var called []string
	for _, r := range append(x.peers(w, h), x.calls(w)...) {
		called = append(called, r.Namespace)
	}
	out := []string{w.namespace()}
	for _, n := range append(called, x.configuredNamespaces(w)...) {
		if !slices.Contains(out, n) {
			out = append(out, n)
			x.want(cluster.Want{What: cluster.WantNamespace, Namespace: n})
		}
	}
	return out
}

// rotations cites who changed the credentials of a user lately, as far as the logs of the called one's namespace tell.
// It asks for them first.
func (x *exam) rotations(client *symptom, h hit, user string) []Evidence {
	var out []Evidence
	namespaces := x.calledNamespaces(client.work, h)
	for _, n := range namespaces {
		for _, p := range x.podsByNS[n] {
			if rotationNames.MatchString(p.Name) {
				x.wantAllLogs(p)
			}
		}
	}
	for _, l := range x.snap.Logs {
		if !slices.Contains(namespaces, l.Pod.Namespace) {
			continue
		}
		for _, one := range x.lines(l) {
			if at := strings.Index(one.text, user); at >= 0 && rotationWords.MatchString(one.text) && len(out) < 3 {
				out = append(out, one.cite(at))
			}
		}
	}
	return out
}
