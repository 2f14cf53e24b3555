package redis

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/twiceproof/twiceproof/lab/internal/process/processtest"
)

// one is the server that tests share which do not end it.
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

func own(t *testing.T, settings ...string) *Server {
	t.Helper()
	s, err := Start(t.Context(), settings...)
	if err != nil {
		t.Fatal(processtest.Explain(err))
	}
	t.Cleanup(func() { _ = s.Stop() })
	return s
}

// client is one connection, which sends inline commands.
type client struct {
	net.Conn
	*bufio.Reader
}

func connect(t *testing.T, s *Server) client {
	t.Helper()
	u, err := url.Parse(s.URL())
	if err != nil || u.Scheme != "redis" || u.Path != "/0" {
		t.Fatalf("URL %s: %v", s.URL(), err)
	}
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return client{conn, bufio.NewReader(conn)}
}

// ask gives the answer's lines without their lengths: "value", "name value".
func (c client) ask(command string) (string, error) {
	if _, err := fmt.Fprintf(c.Conn, "%s\r\n", command); err != nil {
		return "", err
	}
	var lines []string
	for more := 1; more > 0; more-- {
		line, err := c.ReadString('\n')
		if err != nil {
			return "", err
		}
		line = strings.TrimSpace(line)
		switch n, _ := strconv.Atoi(line[min(1, len(line)):]); {
		case strings.HasPrefix(line, "*"):
			more += n
		case strings.HasPrefix(line, "$") && n >= 0:
			more++
		default:
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, " "), nil
}

func (c client) want(t *testing.T, command, want string) {
	t.Helper()
	if got, err := c.ask(command); err != nil || got != want {
		t.Errorf("%s: %q, %v, want %q", command, got, err, want)
	}
}

func TestServerIsPrivate(t *testing.T) {
	c := connect(t, shared(t))
	for name, want := range map[string]string{"bind": "127.0.0.1", "unixsocket": "", "save": "", "appendonly": "no"} {
		got, err := c.ask("CONFIG GET " + name)
		if err != nil || strings.TrimSpace(got) != strings.TrimSpace(name+" "+want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	info, err := os.Stat(shared(t).group.Dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is open to others: %v, %v", info, err)
	}
}

func TestSeveralAtOnceAndStop(t *testing.T) {
	first, second := shared(t), own(t)
	if first.URL() == second.URL() {
		t.Errorf("two servers on %s", first.URL())
	}
	if err := second.Stop(); err != nil {
		t.Fatal(err)
	}
	processtest.Gone(t, second.group.Dir, second.Port())
	if err := second.Stop(); err != nil {
		t.Errorf("second Stop: %v", err)
	}
	connect(t, first).want(t, "PING", "+PONG")
}

// After a restart the connections are gone, and so is the data, unless it was
// asked for; port and settings are the same.
func TestRestart(t *testing.T) {
	for setting, left := range map[string]string{"appendonly yes": "seen", "appendonly no": "$-1"} {
		t.Run(setting, func(t *testing.T) {
			s := own(t, setting, "databases 3")
			url := s.URL()
			c := connect(t, s)
			c.want(t, "SET effect seen", "+OK")
			if err := s.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := c.ask("PING"); err == nil {
				t.Error("a connection outlived the server")
			}
			if s.URL() != url {
				t.Errorf("address %s after the restart, want %s", s.URL(), url)
			}
			c = connect(t, s)
			c.want(t, "GET effect", left)
			c.want(t, "CONFIG GET databases", "databases 3")
		})
	}
}
