package check

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

func TestGetter_refused(t *testing.T) {
	tests := []struct {
		address string
		refused bool
		reason  string
	}{
		{"127.0.0.1", true, "this machine"},
		{"127.8.9.1", true, "the whole of 127/8 is this machine"},
		{"::1", true, "this machine"},
		{"::ffff:127.0.0.1", true, "IPv4 in IPv6"},
		{"::ffff:169.254.169.254", true, "metadata in IPv6"},
		{"::7f00:1", true, "the old form of IPv4 in IPv6"},
		{"0.0.0.0", true, "this machine, on most systems"},
		{"0.1.2.3", true, "this network"},
		{"::", true, "unspecified"},
		{"169.254.169.254", true, "metadata"},
		{"169.254.1.1", true, "link-local"},
		{"fe80::1", true, "link-local"},
		{"fe80::1%eth0", true, "link-local with a zone"},
		{"fd00:ec2::254", true, "metadata of AWS over IPv6"},
		{"100.100.100.200", true, "metadata of Alibaba"},
		{"168.63.129.16", true, "the wire server of Azure"},
		{"224.0.0.1", true, "multicast"},
		{"ff02::1", true, "multicast"},
		{"255.255.255.255", true, "broadcast"},
		{"64:ff9b::a9fe:a9fe", true, "metadata behind NAT64"},
		{"64:ff9b::7f00:1", true, "loopback behind NAT64"},
		{"2002:7f00:1::", true, "loopback behind 6to4"},
		{"10.96.0.10", false, "a Service"},
		{"192.168.1.1", false, "a private network is what clusters are made of"},
		{"fd12::1", false, "a Service over IPv6"},
		{"93.184.216.34", false, "the world"},
		{"64:ff9b::5db8:d822", false, "the world behind NAT64"},
	}
	for _, tt := range tests {
		t.Run(tt.address, func(t *testing.T) {
			if got := NewGetter(false).refused(netip.MustParseAddr(tt.address)); got != tt.refused {
				t.Errorf("refused is %t, want %t: %s", got, tt.refused, tt.reason)
			}
		})
	}
}

func TestGetter_Validate(t *testing.T) {
	for url, ok := range map[string]bool{
		"http://web.shop.svc:8080/health": true, "https://example.com": true, "http://10.0.0.1/": true,
		"http://localhost:80/": false, "http://a.localhost/": false, "http://LOCALHOST./": false, "http://127.0.0.1/": false, "http://[::1]:80/": false,
		"http://169.254.169.254/latest/meta-data": false, "http://user:password@web/": false,
		"ftp://web/": false, "http:///x": false, "http://%zz/": false,
	} {
		if err := NewGetter(false).Validate(url); (err == nil) != ok {
			t.Errorf("%s: got %v, want ok %t", url, err, ok)
		}
	}
}

func TestGetter_Status(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		case "/broken":
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	g := NewGetter(true)
	for path, want := range map[string]int{"/": 200, "/broken": 503, "/away": 302} {
		if got, err := g.Status(t.Context(), server.URL+path); err != nil || got != want {
			t.Errorf("%s: got %d, %v; want %d", path, got, err, want)
		}
	}
	var refused *RefusedError
	if _, err := NewGetter(false).Status(t.Context(), server.URL); !errors.As(err, &refused) {
		t.Errorf("loopback is asked: %v", err)
	}
	// The name is innocent; what it leads to is not.
	response, err := NewGetter(false).client.Get(strings.Replace(server.URL, "127.0.0.1", "localhost", 1))
	if err == nil {
		_ = response.Body.Close()
	}
	if !errors.As(err, &refused) {
		t.Errorf("a name that leads to loopback is asked: %v", err)
	}
}

func TestExpression(t *testing.T) {
	object := map[string]any{"spec": map[string]any{"replicas": int64(3)}, "status": map[string]any{"readyReplicas": int64(3), "phase": "Ready"},
		"list": []any{int64(1), int64(2)}}
	tests := []struct {
		expression string
		compiles   bool
		holds      bool
		fails      bool
		reason     string
	}{
		{"object.status.readyReplicas >= object.spec.replicas", true, true, false, "numbers of one object"},
		{"object.status.readyReplicas >= 2.5", true, true, false, "whole numbers and others"},
		{"object.status.phase in ['Ready', 'Running']", true, true, false, "a list"},
		{"object.status.phase.lowerAscii() == 'ready'", true, true, false, "the functions for strings"},
		{"has(object.status.x) && object.status.x > 1", true, false, false, "a field that may be missing"},
		{"object.?status.?x.orValue(0) == 0", true, true, false, "optional fields"},
		{"object.status.x > 1", true, false, true, "a field that is missing"},
		{"object.spec.replicas", true, false, true, "a number is not true"},
		{"1 + 1", false, false, false, "a number is not true"},
		{"object.status.", false, false, false, "half an expression"},
		{"other.status == 1", false, false, false, "an unknown variable"},
		{"object.list.all(a, object.list.all(b, object.list.all(c, [1,2,3,4,5,6,7,8,9].all(d, [1,2,3,4,5,6,7,8,9].all(e, [1,2,3,4,5,6,7,8,9].all(f, [1,2,3,4,5,6,7,8,9].all(g, [1,2,3,4,5,6,7,8,9].all(h, h > 0 && g > 0 && f > 0))))))))",
			true, false, true, "too dear"},
	}
	for _, tt := range tests {
		t.Run(tt.expression, func(t *testing.T) {
			e, err := Compile(tt.expression)
			if (err == nil) != tt.compiles {
				t.Fatalf("got %v: %s", err, tt.reason)
			}
			if err != nil {
				return
			}
			holds, err := e.Holds(context.Background(), object)
			if holds != tt.holds || (err != nil) != tt.fails {
				t.Errorf("got %t, %v; want %t: %s", holds, err, tt.holds, tt.reason)
			}
		})
	}
}
