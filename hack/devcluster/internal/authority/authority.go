// Package authority is the certificate authority of a local cluster. It makes the certificates that the control
// plane serves and authenticates with, and signs a client certificate for anyone who is to be a user of the cluster.
// It never reads a key that it did not write itself. The up, load and kubeconfig commands call it.
package authority

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// The certificates of a local cluster outlive it by far: a folder kept with --dir stays usable for a year.
const lifetime = 365 * 24 * time.Hour

// Authority signs certificates with the key kept in one folder.
type Authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// Pair names the files of a certificate and its key.
type Pair struct {
	// Cert is the path of the PEM certificate.
	Cert string
	// Key is the path of the PEM private key.
	Key string
}

// Open returns the authority kept in dir, made anew if the folder has none.
func Open(dir string) (*Authority, error) {
	a, err := Load(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return a, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := x509.Certificate{
		Subject:               pkix.Name{CommonName: "devcluster-ca"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	a = &Authority{dir: dir, cert: &template, key: key}
	der, err := a.sign(&template, key)
	if err != nil {
		return nil, err
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		return nil, err
	}
	return a, writePair(a.pair("ca"), der, key)
}

// Load returns the authority kept in dir; the error is fs.ErrNotExist if there is none.
func Load(dir string) (*Authority, error) {
	a := &Authority{dir: dir}
	certPEM, err := os.ReadFile(a.pair("ca").Cert)
	if err != nil {
		return nil, err
	}
	keyPEM, err := os.ReadFile(a.pair("ca").Key)
	if err != nil {
		return nil, err
	}
	certBlock, _ := pem.Decode(certPEM)
	keyBlock, _ := pem.Decode(keyPEM)
	if certBlock == nil || keyBlock == nil {
		return nil, fmt.Errorf("reading the authority in %s: not PEM", dir)
	}
	if a.cert, err = x509.ParseCertificate(certBlock.Bytes); err != nil {
		return nil, err
	}
	a.key, err = x509.ParseECPrivateKey(keyBlock.Bytes)
	return a, err
}

// CA names the files of the authority itself.
func (a *Authority) CA() Pair { return a.pair("ca") }

// Server makes a certificate that is valid for the hosts (names or addresses) and returns its files.
func (a *Authority) Server(name string, hosts ...string) (Pair, error) {
	template := x509.Certificate{
		Subject:     pkix.Name{CommonName: name},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	return a.issue(name, &template)
}

// Client makes a certificate that authenticates as the user, in the groups, and returns its files.
func (a *Authority) Client(user string, groups ...string) (Pair, error) {
	template := x509.Certificate{
		Subject:     pkix.Name{CommonName: user, Organization: groups},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	return a.issue("client-"+filepath.Base(user), &template)
}

// SigningKey returns the files of a key that is not bound to a certificate of this authority's making: the public
// half is stored as PEM where the certificate would be. Service account tokens are signed with one. An existing key
// is kept, so that tokens survive a restart of a kept folder.
func (a *Authority) SigningKey(name string) (Pair, error) {
	pair := a.pair(name)
	if _, err := os.Stat(pair.Key); err == nil {
		return pair, nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return Pair{}, err
	}
	if err := writePEM(pair.Cert, "PUBLIC KEY", public); err != nil {
		return Pair{}, err
	}
	return pair, writeKey(pair.Key, key)
}

func (a *Authority) pair(name string) Pair {
	return Pair{Cert: filepath.Join(a.dir, name+".crt"), Key: filepath.Join(a.dir, name+".key")}
}

func (a *Authority) issue(name string, template *x509.Certificate) (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, err
	}
	der, err := a.sign(template, key)
	if err != nil {
		return Pair{}, fmt.Errorf("signing the certificate %s: %w", name, err)
	}
	pair := a.pair(name)
	return pair, writePair(pair, der, key)
}

func (a *Authority) sign(template *x509.Certificate, key *ecdsa.PrivateKey) ([]byte, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	template.SerialNumber = serial
	// A minute of grace: the clock of whoever checks the certificate may lag behind.
	template.NotBefore = time.Now().Add(-time.Minute)
	template.NotAfter = time.Now().Add(lifetime)
	return x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
}

func writePair(pair Pair, der []byte, key *ecdsa.PrivateKey) error {
	if err := writePEM(pair.Cert, "CERTIFICATE", der); err != nil {
		return err
	}
	return writeKey(pair.Key, key)
}

func writeKey(path string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return writePEM(path, "EC PRIVATE KEY", der)
}

func writePEM(path, kind string, der []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
