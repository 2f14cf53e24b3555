package rabbitmq

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/twiceproof/twiceproof/lab/internal/process/processtest"
)

// one is the broker that tests share which do not end it.
var one = sync.OnceValues(func() (*Server, error) { return Start(context.Background()) })

func TestMain(m *testing.M) { processtest.Main(m, beOwner) }

func shared(t *testing.T) *Server {
	t.Helper()
	s, err := one()
	if err != nil {
		t.Fatal(processtest.Explain(err))
	}
	return s
}

// All that listens does so on loopback; what else is left on the machine is not asked.
func TestServerIsPrivate(t *testing.T) {
	s := shared(t)
	if n := connect(t, s).declare("made"); n != 0 {
		t.Errorf("%d messages in a new queue", n)
	}
	info, err := os.Stat(s.group.Dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is open to others: %v, %v", info, err)
	}
	cookie, err := os.Stat(s.group.Path(".erlang.cookie"))
	if err != nil || cookie.Mode().Perm()&0o077 != 0 {
		t.Errorf("the cookie is not its own: %v, %v", cookie, err)
	}
	for _, address := range listeners(t, s) {
		if !strings.HasPrefix(address, "0100007F:") && !strings.HasPrefix(address, "00000000000000000000000001000000:") {
			t.Errorf("listens on %s", address)
		}
	}
}

// Durable and confirmed is there after a SIGKILL, and the connections are gone; port and
// settings are the same. Then Stop leaves neither broker nor epmd, while another broker
// goes on.
func TestRestartAndStop(t *testing.T) {
	s, err := Start(t.Context(), "heartbeat = 7")
	if err != nil {
		t.Fatal(processtest.Explain(err))
	}
	defer func() { _ = s.Stop() }()
	url := s.URL()
	c := connect(t, s)
	c.declare("work")
	c.publish("work", "seen")
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.next(); err == nil {
		t.Error("a connection outlived the broker")
	}
	if s.URL() != url || url == shared(t).URL() {
		t.Errorf("address %s after the restart, want %s", s.URL(), url)
	}
	c = connect(t, s)
	if n := c.declare("work"); n != 1 || c.heartbeat != 7 {
		t.Errorf("%d messages, heartbeat %d", n, c.heartbeat)
	}
	if running := processesOf(t, s.group.Dir); !slices.Contains(running, "beam.smp") || !slices.Contains(running, "epmd") {
		t.Errorf("running: %v", running)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	processtest.Gone(t, s.group.Dir, s.Port())
	processtest.Eventually(t, "processes are left", func() bool { return len(processesOf(t, s.group.Dir)) == 0 })
	if err := s.Stop(); err != nil {
		t.Errorf("second Stop: %v", err)
	}
	connect(t, shared(t))
}
