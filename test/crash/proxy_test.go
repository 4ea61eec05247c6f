package crash

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
)

// moment is when the process is killed, seen from a write.
type moment string

const (
	instead moment = "instead of it"
	after   moment = "right after it"
)

// proxy stands between an operator and the API server. Everything that is stored passes through it.
type proxy struct {
	*httptest.Server

	mu     sync.Mutex
	writes []string
	// at is the write to strike at, 0 for never; strike kills the process.
	at     int
	when   moment
	strike func()
	struck bool
}

func newProxy(t *testing.T, config *rest.Config) *proxy {
	t.Helper()
	target, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	verify, err := rest.TLSConfigFor(&rest.Config{Host: config.Host, TLSClientConfig: rest.TLSClientConfig{CAData: config.CAData}})
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{}
	forward := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     &http.Transport{TLSClientConfig: verify, TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{}},
		FlushInterval: -1,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil {
				t.Logf("%s %s: %v", r.Method, r.URL.Path, err)
			}
			w.WriteHeader(http.StatusBadGateway)
		},
	}
	p.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !stores(r) {
			forward.ServeHTTP(w, r)
			return
		}
		hit, kill := p.count(r)
		if hit && p.when == instead {
			kill()
			panic(http.ErrAbortHandler)
		}
		if !hit {
			forward.ServeHTTP(w, r)
			return
		}
		forward.ServeHTTP(httptest.NewRecorder(), r)
		kill()
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(p.Close)
	return p
}

// stores says whether a request changes what the API server stores. Reviews and dry runs do not.
func stores(r *http.Request) bool {
	switch r.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
	default:
		return false
	}
	return r.URL.Query().Get("dryRun") == "" && !strings.Contains(r.URL.Path, "reviews")
}

// arm has the proxy strike at a write, counted from now.
func (p *proxy) arm(at int, when moment, strike func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writes, p.at, p.when, p.strike, p.struck = nil, at, when, strike, false
}

func (p *proxy) count(r *http.Request) (hit bool, kill func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writes = append(p.writes, r.Method+" "+r.URL.Path)
	hit = len(p.writes) == p.at
	p.struck = p.struck || hit
	return hit, p.strike
}

// seen returns what was written since the proxy was armed, and whether it struck.
func (p *proxy) seen() ([]string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.writes...), p.struck
}
