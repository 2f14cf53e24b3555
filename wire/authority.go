package wire

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"net"
	"sync"
	"time"
)

// Authority signs certificates for whatever host a proxy stands for, for clients that insist
// on TLS.
//
// Hard rule: its key, and those of the certificates that it signs, are in memory alone, and
// end with it. Counter-example: a key in a file vouches for any host, to whoever still trusts
// the authority.
type Authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey

	mu     sync.Mutex
	leaves map[string]*tls.Certificate
}

// What it is for takes hours at most; a clock may be a little off.
const (
	already = 24 * time.Hour
	good    = 7 * 24 * time.Hour
)

// NewAuthority makes one with a key of its own.
func NewAuthority() (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a certificate authority: %w", err)
	}
	t := template("Twiceproof replay")
	t.IsCA, t.BasicConstraintsValid, t.MaxPathLenZero = true, true, true
	t.KeyUsage = x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, t, t, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("make a certificate authority: %w", err)
	}
	certificate, err := x509.ParseCertificate(der)
	return &Authority{certificate: certificate, key: key, leaves: map[string]*tls.Certificate{}}, err
}

// PEM is the authority's certificate, as a worker is to trust it.
func (a *Authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}

// Config is for a server that stands for a host, and for any other that a client asks for
// by name; clients ask for no numbers. The protocols are those that run over TLS (ALPN).
func (a *Authority) Config(host string, protocols ...string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: protocols,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if hello.ServerName != "" {
				return a.leaf(hello.ServerName)
			}
			return a.leaf(host)
		},
	}
}

// leaf is the certificate of a host, made when it is first asked for.
func (a *Authority) leaf(host string) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if leaf := a.leaves[host]; leaf != nil {
		return leaf, nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("certificate of %s: %w", host, err)
	}
	t := template(host)
	t.KeyUsage, t.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	nameHost(t, host)
	der, err := x509.CreateCertificate(rand.Reader, t, a.certificate, key.Public(), a.key)
	if err != nil {
		return nil, fmt.Errorf("certificate of %s: %w", host, err)
	}
	leaf := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	a.leaves[host] = leaf
	return leaf, nil
}

// nameHost: this machine is known by a name and by numbers, and a client checks the one that
// it was given.
func nameHost(t *x509.Certificate, host string) {
	ip := net.ParseIP(host)
	switch {
	case host == "localhost" || ip.IsLoopback():
		t.DNSNames, t.IPAddresses = []string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	case ip != nil:
		t.IPAddresses = []net.IP{ip}
	default:
		t.DNSNames = []string{host}
	}
}

// template has no serial number: x509 makes one.
func template(name string) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, NotBefore: now.Add(-already), NotAfter: now.Add(good),
	}
}
