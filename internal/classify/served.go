package classify

import "slices"

// dropServedHosts drops the hosts that a text names beside what serves them, an Ingress or a Certificate: where the
// trouble shows is not what is asked about, and the object knows its hosts. A host that something runs on stays, and so
// does one that is to be set.
func (x *extractor) dropServedHosts() {
	serves := func(t Target) bool { return t.Kind == "Ingress" || t.Kind == "Certificate" }
	if !slices.ContainsFunc(x.targets, serves) {
		return
	}
	x.targets = slices.DeleteFunc(x.targets, func(t Target) bool { return t.Host != "" && !x.standsAlone(t.Host) })
}

// standsAlone tells whether a text speaks of a host for its own sake: by its address, behind "on", "ssh", "server" or
// "must be".
func (x *extractor) standsAlone(host string) bool {
	for i := range x.tokens {
		t := &x.tokens[i]
		if !t.isTarget || hostOf(t.text) != host {
			continue
		}
		p := x.prior(i)
		if !endsLikeHost(host) || p.is(isWant) || p.kind == "Host" || p.kind == "Node" || contains(" on sur ssh reboot ", p.text) {
			return true
		}
	}
	return false
}
