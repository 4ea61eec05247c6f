package authority

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"os"
	"slices"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

func open(t *testing.T, dir string) *Authority {
	t.Helper()
	a, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAuthority_outlivesTheProcess(t *testing.T) {
	dir := t.TempDir()
	before := open(t, dir).CA()
	want, err := os.ReadFile(before.Cert)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(open(t, dir).CA().Cert)
	if err != nil || string(got) != string(want) {
		t.Errorf("a second authority was made: %v", err)
	}
	if _, err := Load(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an authority that does not exist: got %v", err)
	}
}

func TestAuthority_signingKeyIsKept(t *testing.T) {
	a := open(t, t.TempDir())
	first, err := a.SigningKey("tokens")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(first.Key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.SigningKey("tokens"); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(first.Key); err != nil || string(got) != string(want) {
		t.Errorf("tokens that were issued are void: %v", err)
	}
}

func TestAuthority_serverCertificateIsForItsHostsOnly(t *testing.T) {
	a := open(t, t.TempDir())
	pair, err := a.Server("api", "127.0.0.1", "kubernetes.default")
	if err != nil {
		t.Fatal(err)
	}
	cert, err := tls.LoadX509KeyPair(pair.Cert, pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(a.cert)
	for host, trusted := range map[string]bool{"127.0.0.1": true, "kubernetes.default": true, "example.com": false} {
		_, err := cert.Leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: roots})
		if (err == nil) != trusted {
			t.Errorf("%s: got %v, want trusted %v", host, err, trusted)
		}
	}
}

func TestAuthority_kubeconfigCarriesTheUser(t *testing.T) {
	data, err := open(t, t.TempDir()).Kubeconfig("https://127.0.0.1:6443", User{Name: "alice", Groups: []string{"dev"}})
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(data)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(config.CertData, config.KeyData)
	if err != nil {
		t.Fatal(err)
	}
	if s := pair.Leaf.Subject; s.CommonName != "alice" || !slices.Equal(s.Organization, []string{"dev"}) || config.Host != "https://127.0.0.1:6443" {
		t.Errorf("got %v at %s", s, config.Host)
	}
}

func TestParseUser(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       User
		fails      bool
		reason     string
	}{
		{"a name alone", "alice", User{Name: "alice"}, false, "groups are optional"},
		{"a name with groups", "alice:dev,ops", User{Name: "alice", Groups: []string{"dev", "ops"}}, false, "a comma separates them"},
		{"no name", ":dev", User{}, true, "someone has to be named"},
		{"a path", "../alice", User{}, true, "the name becomes the name of a file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseUser(c.text)
			if (err != nil) != c.fails || got.Name != c.want.Name || !slices.Equal(got.Groups, c.want.Groups) {
				t.Errorf("got %v, %v: %s", got, err, c.reason)
			}
		})
	}
}
