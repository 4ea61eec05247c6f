package diagnose

import (
	"slices"
	"strings"

	"github.com/eclusier/eclusier/internal/cluster"
)

// pull is an image that cannot be fetched.
type pull struct {
	*symptom
	image string
	// message is what the runtime says, evidence where it says so.
	message  string
	evidence []Evidence
}

// pullReasons are the kubelet's words for an image that cannot be had.
var pullReasons = map[string]bool{
	"ImagePullBackOff": true, "InvalidImageName": true, "ErrImageNeverPull": true, "ImageInspectError": true,
	"RegistryUnavailable": true, "SignatureValidationFailed": true,
}

// pulls returns the open symptoms of images that cannot be fetched.
func (x *exam) pulls() []pull {
	var out []pull
	for _, s := range x.open(waiting) {
		if !pullReasons[s.reason] {
			continue
		}
		p := pull{symptom: s}
		if c := s.spec(); c != nil {
			p.image = c.Image
		}
		p.evidence = append(p.evidence, x.containerField(s, "image", p.image))
		for _, pod := range s.pods {
			if c := statusOf(pod, s.container); c != nil && c.State.Waiting != nil {
				if p.message == "" {
					p.message = c.State.Waiting.Message
					p.evidence = append(p.evidence, x.statusField(s, "state.waiting.message", c.State.Waiting.Message))
				}
				if c.State.Waiting.Reason != "" && pod == s.pod() {
					p.evidence = append(p.evidence, x.statusField(s, "state.waiting.reason", c.State.Waiting.Reason))
				}
			}
		}
		for _, e := range x.pullEvents(s) {
			p.message = e.Message + "\n" + p.message
			p.evidence = append(p.evidence, event(e))
		}
		out = append(out, p)
	}
	return out
}

// pullEvents are the last events of the example pods that say why.
func (x *exam) pullEvents(s *symptom) []*cluster.Event {
	var out []*cluster.Event
	for _, reason := range []string{"Failed", "FailedToRetrieveImagePullSecret", "InspectFailed", "ErrImageNeverPull"} {
		var last *cluster.Event
		for _, r := range podRefs(s.pods) {
			for _, e := range x.events[r] {
				if e.Reason == reason && !strings.HasPrefix(e.Message, "Error: ") && (last == nil || e.Last.After(last.Last)) {
					last = e
				}
			}
		}
		if last != nil {
			out = append(out, last)
		}
	}
	return out
}

// pullWords are the words of runtimes and registries for each reason, the surest first.
var pullWords = []struct {
	cause CauseID
	words []string
}{
	{"ImageArchMismatch", []string{
		"no match for platform", "no matching manifest for", "does not match the specified platform", "exec format error",
		"no image found in manifest list for architecture", "no image found in image index for architecture", "cannot be used on this platform",
	}},
	{"RegistryRateLimited", []string{"toomanyrequests", "429 too many requests", "429 (too many requests)", "from registry 429", "too many requests", "rate limit", "rate exceeded"}},
	{"ImagePullUnauthorized", []string{
		"no basic auth credentials", "token has expired", "token is expired", "incorrect username or password", "invalid username/password",
		"cannot find robot", "could not find robot", "robot account", "unauthorized to access repository",
	}},
	{ambiguousPull, []string{"pull access denied", "insufficient_scope"}},
	{"ImagePullUnauthorized", []string{
		"401 unauthorized", "403 forbidden", "401 (unauthorized)", "403 (forbidden)", "from registry 401", "from registry 403", "status code 401", "status code 403",
		"unauthorized:", "authentication required", "failed to authorize", "failed to fetch oauth token", "failed to fetch anonymous token",
		"denied:", "access denied", "access forbidden", "access to the resource is denied", "denied on resource", "is not authorized", "not authorized to perform",
		"unauthenticated", "authentication failed", "error authenticating",
	}},
	{"TLSCertExpired", []string{"certificate has expired", "certificate is not yet valid"}},
	{"RegistryUnreachable", []string{
		"no such host", "i/o timeout", "connection refused", "tls handshake timeout", "x509:", "context deadline exceeded", "no route to host",
		"server misbehaving", "503 service unavailable", "502 bad gateway", "500 internal server error", "status code from registry 5", "connection reset by peer", "network is unreachable",
	}},
	{"ImageNotFound", []string{
		"not found", "manifest unknown", "name unknown", "does not exist", "invalid reference format", "couldn't parse image",
		"is not present with pull policy", "failed to apply default image tag",
	}},
	{"NodeDiskPressure", []string{"no space left on device"}},
}

// ambiguousPull marks the answer of registries that do not tell a repository that does not exist from one that may not
// be read.
const ambiguousPull CauseID = "?"

// pullKind says why an image cannot be fetched, from the runtime's and registry's words; empty if they are unknown.
func pullKind(p pull) CauseID {
	m := strings.ToLower(p.message)
	for _, w := range pullWords {
		if !slices.ContainsFunc(w.words, func(word string) bool { return strings.Contains(m, word) }) {
			continue
		}
		if w.cause != ambiguousPull {
			return w.cause
		}
		if len(p.pod().Spec.ImagePullSecrets) > 0 {
			return "ImagePullUnauthorized"
		}
		return "ImageNotFound"
	}
	if p.reason == "InvalidImageName" || p.reason == "ErrImageNeverPull" {
		return "ImageNotFound"
	}
	return ""
}
