package diagnose

import (
	"regexp"
	"slices"
)

// gatewayLine stands for lines in which an access log says that what the server hands its requests to did not answer.
var gatewayLine = signature{name: "answer of a gateway to a client", cause: "CrashDependencyRefused", rank: dependency}

// gatewayAccess finds the status 502, 503 or 504 of an access line, in the forms of NGINX, Apache, Envoy and Traefik.
var gatewayAccess = regexp.MustCompile(`"[A-Z]{3,7} /[^"]*"\s+50[234]\b`)

// statusFields are the last elements of the names of fields that hold the status of an HTTP answer.
var statusFields = []string{"status", "statuscode", "status_code", "response_code", "responsecode", "upstream_status", "code", "http_status", "downstreamstatus"}

// gatewayAnswer recognises an access line with an answer that only a gateway gives. In a plain line what a stranger
// sent stands before the focus and is never read; a structured one has to say as well what was called.
func gatewayAnswer(one line) (hit, bool) {
	found := hit{line: one, sig: &gatewayLine, vars: map[string]string{}, count: 1, last: one}
	if one.fields != nil {
		says := slices.ContainsFunc(one.fields, func(f logField) bool {
			return slices.Contains(statusFields, lastName(f.name)) && slices.Contains([]string{"502", "503", "504"}, f.value)
		})
		return found, says && len(peerFields(one)) > 0
	}
	at := gatewayAccess.FindStringIndex(one.text)
	if at == nil {
		return hit{}, false
	}
	found.focus = at[1]
	return found, true
}
