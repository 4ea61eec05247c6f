package check

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// getTimeout bounds one request, from the look-up of the name to the end of the headers.
const getTimeout = 5 * time.Second

// RefusedError is an address that requests may not go to.
type RefusedError struct{ Address string }

// Error says which address it is.
func (e *RefusedError) Error() string {
	return "requests to " + e.Address + " are refused: loopback, link-local, multicast and metadata addresses are not asked"
}

// metadata are addresses outside the link-local ranges at which clouds tell machines their secrets.
var metadata = []netip.Addr{
	netip.MustParseAddr("fd00:ec2::254"),   // AWS
	netip.MustParseAddr("100.100.100.200"), // Alibaba Cloud
	netip.MustParseAddr("168.63.129.16"),   // Azure
	netip.MustParseAddr("192.0.0.192"),     // Oracle Cloud
}

var (
	thisNetwork = netip.MustParsePrefix("0.0.0.0/8")
	compatible  = netip.MustParsePrefix("::/96")
	// Addresses in these ranges carry an IPv4 address that a gateway sends them on to.
	nat64     = netip.MustParsePrefix("64:ff9b::/96")
	nat64Own  = netip.MustParsePrefix("64:ff9b:1::/48")
	sixToFour = netip.MustParsePrefix("2002::/16")
)

// Getter makes HTTP GET requests to addresses that are not refused.
type Getter struct {
	client        *http.Client
	allowLoopback bool
}

// NewGetter prepares a getter. Loopback addresses are for tests alone.
func NewGetter(allowLoopback bool) *Getter {
	g := &Getter{allowLoopback: allowLoopback}
	// The address is judged when it is connected to, so that no name can lead elsewhere after it was looked at.
	dialer := &net.Dialer{Timeout: getTimeout, Control: func(_, address string, _ syscall.RawConn) error {
		host, err := netip.ParseAddrPort(address)
		if err != nil || g.refused(host.Addr()) {
			return &RefusedError{address}
		}
		return nil
	}}
	g.client = &http.Client{
		Timeout: getTimeout,
		// A proxy would resolve the name by itself, and keeping connections would skip the judgement.
		Transport:     &http.Transport{Proxy: nil, DialContext: dialer.DialContext, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return g
}

// refused says whether an address may not be asked.
func (g *Getter) refused(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	switch {
	case a.IsLoopback():
		return !g.allowLoopback
	case !a.IsValid(), a.IsUnspecified(), a.IsMulticast(), a.IsLinkLocalUnicast(), thisNetwork.Contains(a), compatible.Contains(a), nat64Own.Contains(a),
		a == netip.AddrFrom4([4]byte{255, 255, 255, 255}):
		return true
	}
	for _, m := range metadata {
		if a == m {
			return true
		}
	}
	bytes := a.As16()
	switch {
	case nat64.Contains(a):
		return g.refused(netip.AddrFrom4([4]byte(bytes[12:16])))
	case sixToFour.Contains(a):
		return g.refused(netip.AddrFrom4([4]byte(bytes[2:6])))
	}
	return false
}

// Validate says what is wrong with a URL, as far as that can be told without looking its name up.
func (g *Getter) Validate(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return errors.New("it cannot be read as a URL")
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return errors.New("it must be http:// or https:// with a host")
	case u.User != nil:
		return errors.New("it must not hold credentials: they would be shown to everybody who reads the change")
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if address, err := netip.ParseAddr(host); err == nil && g.refused(address) {
		return &RefusedError{host}
	}
	if !g.allowLoopback && (host == "localhost" || strings.HasSuffix(host, ".localhost")) {
		return &RefusedError{host}
	}
	return nil
}

// Status makes a GET request and returns the status code of the answer. The body is not read. An address that may not be
// asked is a RefusedError.
func (g *Getter) Status(ctx context.Context, raw string) (int, error) {
	if err := g.Validate(raw); err != nil {
		return 0, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, raw, nil)
	if err != nil {
		return 0, fmt.Errorf("preparing the request: %w", err)
	}
	request.Header.Set("User-Agent", "eclusier")
	response, err := g.client.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}
