package amqpwire_test

import (
	"crypto/tls"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// kombuScript publishes by the library that Celery connects with.
const kombuScript = `
import os, ssl, sys, kombu
with kombu.Connection(sys.argv[1], ssl={"ca_certs": os.environ["CA"], "cert_reqs": ssl.CERT_REQUIRED, "server_hostname": "127.0.0.1"}) as c:
    c.ensure_connection(max_retries=1)
    with c.SimpleQueue("jobs") as q: q.put("m")
    c.default_channel.basic_get("jobs", no_ack=True).body
`

// A worker that is told amqps:// says what it says in clear text. One that trusts another
// authority gives up.
func TestTLS(t *testing.T) {
	s := start(t)
	authority, ca := wiretest.Authority(t)
	_, other := wiretest.Authority(t)
	s.offer = authority.Config("127.0.0.1")
	for file, trusted := range map[string]bool{ca: true, other: false} {
		s.listen(t)
		cmd := exec.CommandContext(t.Context(), wiretest.Python(t, "kombu"), "-c", kombuScript, "amqps://guest:guest@"+s.proxy.Addr()+"//")
		cmd.Env = append(os.Environ(), "CA="+file)
		wiretest.TriesTLS(t, cmd, trusted, s.proxy, s.Steps, "Basic.Publish jobs")
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
}
