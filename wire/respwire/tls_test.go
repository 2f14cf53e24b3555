package respwire_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// Clients that are told rediss:// say what they say in clear text, by the authority that
// SSL_CERT_FILE names; without it they give up.
func TestTLS(t *testing.T) {
	for name, command := range map[string][]string{
		"redis-py": {python(), "-c", pythonScript, "", "2"},
		"redis-rb": {"ruby", "-e", rubyScript, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			authority, ca := wiretest.Authority(t)
			s.offer = authority.Config("127.0.0.1")
			for _, trusted := range []bool{false, true} {
				s.listen(t)
				command[3] = "rediss://" + s.proxy.Addr()
				cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
				if trusted {
					cmd.Env = append(os.Environ(), "SSL_CERT_FILE="+ca)
				}
				wiretest.TriesTLS(t, cmd, trusted, s.proxy, s.Steps, "BRPOP other queue [message]")
			}
		})
	}
}

// A kill strikes within TLS where it strikes in clear text: the worker has not heard.
func TestDropWithinTLS(t *testing.T) {
	s := start(t)
	authority, _ := wiretest.Authority(t)
	s.offer = authority.Config("127.0.0.1")
	s.listen(t)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority.PEM())
	c := goredis.NewClient(&goredis.Options{
		Addr: s.proxy.Addr(), Protocol: 2, DisableIdentity: true, MaxRetries: -1, TLSConfig: &tls.Config{RootCAs: roots},
	})
	defer c.Close()
	if err := c.LPush(t.Context(), "queue", "a").Err(); err != nil {
		t.Fatal(err)
	}
	a := s.gate.Arm(wire.Fault{Match: text("LPUSH queue"), Side: wire.After, Do: wire.Drop})
	if err := c.LPush(t.Context(), "queue", "b").Err(); err == nil {
		t.Error("the worker has heard")
	}
	<-a.Fired()
	if got := s.list(t, "queue"); len(got) != 2 {
		t.Errorf("the server has %q", got)
	}
}

// A client that begins with TLS where it is not offered gives up, and the proxy says why.
func TestTLSIsDeclined(t *testing.T) {
	s := start(t)
	conn := tls.Client(wiretest.Dial(t, s.proxy.Addr()), &tls.Config{ServerName: "localhost"})
	if err := conn.HandshakeContext(t.Context()); err == nil || !strings.Contains(err.Error(), "handshake failure") {
		t.Errorf("the client says %v", err)
	}
	s.proxy.Close()
	if !errors.Is(s.proxy.WhyUnsecured(), wire.ErrDeclined) {
		t.Errorf("the proxy says %v", s.proxy.WhyUnsecured())
	}
	if got := s.Steps(); len(got) != 0 {
		t.Errorf("steps %q", got)
	}
}
