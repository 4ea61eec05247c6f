package diagnose

import (
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// peerNames are the last elements of the names of fields under which programs write what they call.
var peerNames = []string{
	"upstream", "upstream_host", "upstream_addr", "upstreamaddr", "upstream_cluster", "backend", "target", "source", "url", "uri", "href",
	"base_url", "baseurl", "endpoint", "peer", "peer_name", "remote", "remote_host", "server", "server_addr", "host", "address", "addr", "dst",
	"dest", "destination", "dependency", "authority", "broker", "brokers", "full", "peer.service", "request_url", "target_url", "remoteservice",
}

// ownNames are names of fields that tell of the program itself or of its caller where they stand at the top.
var ownNames = []string{"host", "server", "source", "remote", "url", "uri", "address", "addr"}

var hostInField = regexp.MustCompile(`^\[?([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?|[0-9a-fA-F:]{3,})\]?(?::(\d{1,5}))?(?:/\S*)?$`)

// peerFields are what the fields of a line say is called: a URL, a host with a port, or a name. A bare word is believed
// only where it cannot mean the program itself.
func peerFields(l line) []peer {
	var out []peer
	for _, f := range l.pairs() {
		name := lastName(f.name)
		if !slices.Contains(peerNames, name) {
			continue
		}
		if p, ok := readPeer(f.value); ok {
			bare := !strings.ContainsAny(p.host, ".:") && p.port == ""
			if !bare || strings.Contains(f.name, ".") || !slices.Contains(ownNames, name) {
				out = append(out, p)
			}
		}
	}
	return out
}

// readPeer reads a URL, host:port or host.
func readPeer(value string) (peer, bool) {
	const longest = 512
	if len(value) > longest {
		return peer{}, false
	}
	value = strings.TrimPrefix(value, "jdbc:")
	if u, err := url.Parse(value); err == nil && u.Hostname() != "" {
		port := u.Port()
		if port == "" {
			port = schemePorts[u.Scheme]
		}
		return peer{u.Hostname(), port}, true
	}
	m := hostInField.FindStringSubmatch(value)
	if m == nil || strings.HasPrefix(value, "/") || net.ParseIP(m[1]) == nil && numbersOnly.MatchString(m[1]) {
		return peer{}, false
	}
	return peer{m[1], m[2]}, true
}

var numbersOnly = regexp.MustCompile(`^[\d.]+$`)

// schemePorts are the ports that URLs leave out.
var schemePorts = map[string]string{
	"http": "80", "ws": "80", "https": "443", "wss": "443", "postgres": "5432", "postgresql": "5432", "mysql": "3306", "mariadb": "3306",
	"redis": "6379", "rediss": "6379", "amqp": "5672", "amqps": "5671", "mongodb": "27017", "nats": "4222", "ldap": "389", "ldaps": "636",
}
