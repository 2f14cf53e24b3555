package wire_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
)

// shake lets a client that trusts the authority come to TLS with its configuration.
func shake(trusted *wire.Authority, config, client *tls.Config) error {
	client.RootCAs = x509.NewCertPool()
	client.RootCAs.AppendCertsFromPEM(trusted.PEM())
	ln, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		return err
	}
	defer ln.Close()
	go func() {
		if conn, err := ln.Accept(); err == nil {
			_ = conn.(*tls.Conn).Handshake() // the client says how it ended
			conn.Close()
		}
	}()
	conn, err := tls.Dial("tcp", ln.Addr().String(), client)
	if err != nil {
		return err
	}
	return conn.Close()
}

// Each host has a certificate that is good for it and for no other, and of this authority.
func TestAuthority(t *testing.T) {
	a, err := wire.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	other, err := wire.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "::1", "payments.example", "10.0.0.7"} {
		if err := shake(a, a.Config(host), &tls.Config{ServerName: host}); err != nil {
			t.Errorf("%s: %v", host, err)
		}
		if err := shake(other, a.Config(host), &tls.Config{ServerName: host}); err == nil {
			t.Errorf("%s: another authority is trusted", host)
		}
	}
	if err := shake(a, a.Config("127.0.0.1"), &tls.Config{ServerName: "payments.example"}); err != nil {
		t.Errorf("a host that is asked for by name: %v", err)
	}
	if err := shake(a, a.Config("payments.example"), &tls.Config{ServerName: "10.0.0.7"}); err == nil {
		t.Error("a certificate is good for another host")
	}
	if err := shake(a, a.Config("localhost", "postgresql"), &tls.Config{ServerName: "localhost", NextProtos: []string{"h2"}}); err == nil {
		t.Error("another protocol is spoken")
	}
}

func TestTrials(t *testing.T) {
	untrusted := &wire.TLSError{errors.New("unknown authority")}
	gone := &wire.TLSError{fmt.Errorf("said nothing: %w", io.EOF)}
	for _, c := range []struct {
		tries []error
		want  error
	}{
		{nil, nil},
		{[]error{gone}, gone},
		{[]error{wire.ErrDeclined, nil}, nil}, // without TLS, the second time
		{[]error{nil, untrusted}, untrusted},
		{[]error{nil, gone}, nil},
		{[]error{untrusted, wire.ErrShut}, untrusted},
	} {
		var trials wire.Trials
		for _, err := range c.tries {
			trials.Unsecured(err)
		}
		if got := trials.WhyUnsecured(); !errors.Is(got, c.want) {
			t.Errorf("%v: %v, want %v", c.tries, got, c.want)
		}
	}
}
