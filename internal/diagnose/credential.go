package diagnose

import (
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// given returns the first of several values of a hit that is there.
func (h hit) given(names ...string) string {
	for _, n := range names {
		if v := h.vars[n]; v != "" {
			return v
		}
	}
	return ""
}

var credentialWords = regexp.MustCompile(`(?i)pass|pwd|token|api|key|secret|cred|auth|dsn|url|uri|user|login|database|db`)

// secretBehind finds the Secret from which a container has the credentials that were refused, with the references to
// it: the only one it uses or the one that is named most like a credential of what was called.
func (x *exam) secretBehind(s *symptom, h hit) (cluster.Ref, []Evidence) {
	spec := &s.work.template.Spec
	if p := s.pod(); p != nil {
		spec = &p.Spec
	}
	scores := map[cluster.Ref]int{}
	paths := map[cluster.Ref][]Evidence{}
	words := x.peerWords(s, h)
	for _, u := range podUses(s.work.namespace(), spec) {
		if !x.mayHoldCredentials(u, s.container) {
			continue
		}
		scores[u.ref] = max(scores[u.ref], credentialScore(u, words))
		paths[u.ref] = append(paths[u.ref], field(s.work.ref, "spec.template.spec."+u.path, refersTo(u)))
	}
	best, unique := highest(scores)
	if !unique {
		return cluster.Ref{}, nil
	}
	return best, paths[best]
}

// mayHoldCredentials says that a container uses a Secret otherwise than to pull its image or to serve TLS.
func (x *exam) mayHoldCredentials(u use, container string) bool {
	if u.ref.Kind != "Secret" || u.pull || u.container != "" && container != "" && u.container != container {
		return false
	}
	secret := get[*cluster.Secret](x.index, "Secret", u.ref.Namespace, u.ref.Name)
	return secret == nil || secret.Type != corev1.SecretTypeTLS
}

// credentialScore is how much a use of a Secret is named like a credential of what the words name.
func credentialScore(u use, words []string) int {
	score := 1
	about := strings.ToLower(u.ref.Name + " " + u.key + " " + u.path)
	if credentialWords.MatchString(about) {
		score++
	}
	if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(about, w) }) {
		score += 2
	}
	return score
}

// highest is the object with the highest score, and whether it has it alone.
func highest(scores map[cluster.Ref]int) (best cluster.Ref, unique bool) {
	for r, score := range scores {
		switch {
		case best.Name == "" || score > scores[best]:
			best, unique = r, true
		case score == scores[best]:
			unique = false
		}
	}
	return best, unique
}

// kindsOfServer are words by which credentials of a database are named, and how its errors are recognised.
var kindsOfServer = map[string][]string{
	"postgres": {"postgres", "pg", "psql", "database", "db"}, "mysql": {"mysql", "mariadb", "database", "db"},
	"redis": {"redis", "cache", "valkey"}, "mongo": {"mongo", "database", "db"}, "rabbit": {"rabbit", "amqp", "broker", "queue"},
	"kafka": {"kafka", "sasl", "broker"}, "elastic": {"elastic", "search"},
}

// peerWords are lower-case words by which the credentials of what a line speaks of may be named.
func (x *exam) peerWords(s *symptom, h hit) []string {
	var out []string
	low := strings.ToLower(h.sig.name + " " + h.text)
	for kind, words := range kindsOfServer {
		if strings.Contains(low, kind) {
			out = append(out, words...)
		}
	}
	for _, r := range x.peers(s.work, h) {
		out = append(out, nameParts(r.Name)...)
	}
	if user := h.given("name", "name2"); len(user) > 3 {
		out = append(out, strings.ToLower(user))
	}
	return slices.DeleteFunc(out, func(w string) bool { return len(w) < 2 })
}

// changedSecret says when the Secret was made or changed last, as far as its metadata tells.
func (x *exam) changedSecret(r cluster.Ref) []Evidence {
	s := get[*cluster.Secret](x.index, "Secret", r.Namespace, r.Name)
	if s == nil {
		return nil
	}
	out := []Evidence{field(r, "metadata.creationTimestamp", s.CreationTimestamp.UTC().Format("2006-01-02T15:04:05Z"))}
	for _, k := range sortedKeys(s.Annotations) {
		if low := strings.ToLower(k); strings.Contains(low, "rotat") || strings.Contains(low, "expir") || strings.Contains(low, "valid") || strings.Contains(low, "not-after") {
			out = append(out, entry(r, "metadata.annotations", k, s.Annotations[k]))
		}
	}
	return out
}

// serverImages are images of servers that log the failed logins of their clients.
var serverImages = regexp.MustCompile(`(?i)(?:^|/)(?:[\w.-]*(?:postgres|mysql|mariadb|percona|redis|valkey|mongo|rabbitmq|kafka|elasticsearch|opensearch|keycloak|openldap|mssql|pgbouncer))`)

// complainsOfClients says that a line in the log of a server is about those who call it, and finds the client's pod.
func (x *exam) complainsOfClients(s *symptom, h hit) (*corev1.Pod, bool) {
	c := s.spec()
	if c == nil || !serverImages.MatchString(c.Image) {
		return nil, false
	}
	p := x.podByIP[h.vars["client"]]
	if p != nil && x.podWorkload[podRef(p)] == s.work {
		return nil, false
	}
	return p, true
}
