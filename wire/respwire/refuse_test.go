package respwire_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/respwire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// No password reaches a name, a status, or one who looks: not of a login, and not of a
// command that sets one.
func TestNoPasswordIsShown(t *testing.T) {
	const secret = "correct-horse"
	var mu sync.Mutex
	var shown strings.Builder
	see := func(step wire.Step, said respwire.Said) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(&shown, step, string(said.Reply.Text))
		for _, c := range said.Commands {
			fmt.Fprintf(&shown, "\t%s %s\n", c.Name, c.Args)
		}
	}
	s := start(t, respwire.Options{Saw: see, Name: func(said respwire.Said) string {
		see(wire.Step{}, said)
		return ""
	}})
	ctx := t.Context()
	if err := s.direct.ACLSetUser(ctx, "job", "on", ">"+secret, "~*", "&*", "+@all").Err(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.direct.ACLDelUser(context.WithoutCancel(ctx), "job") })
	for _, protocol := range []int{2, 3} {
		c := goredis.NewClient(&goredis.Options{Addr: s.proxy.Addr(), Username: "job", Password: secret, Protocol: protocol})
		if got, err := c.ACLWhoAmI(ctx).Result(); err != nil || got != "job" {
			t.Errorf("logged in as %q, %v", got, err)
		}
		_ = c.ACLSetUser(ctx, "job", ">"+secret).Err() // or not: it is about what is shown
		_ = c.ConfigSet(ctx, "masterauth", secret).Err()
		_ = c.Migrate(ctx, "127.0.0.1", "1", secret, 0, 1).Err()
		_ = c.Close()
	}
	conn := wiretest.Dial(t, s.proxy.Addr())
	say(t, conn, "auth job "+secret+"\r\n", "+OK\r\n")
	say(t, conn, "MULTI\r\nAUTH job "+secret+"\r\nEXEC\r\n", "+OK\r\n+QUEUED\r\n*1\r\n+OK\r\n")
	trace := strings.Join(s.Steps(), "\n")
	mu.Lock()
	defer mu.Unlock()
	if strings.Contains(trace+shown.String(), secret) {
		t.Errorf("a password is shown:\n%s\n%s", trace, shown.String())
	}
	if !strings.Contains(trace, "ACL WHOAMI") || !strings.Contains(shown.String(), "CONFIG") {
		t.Errorf("the control: what is no password is shown\n%s\n%s", trace, shown.String())
	}
}

// What is not RESP ends the connection, and says why; the step under way is lost.
func TestMalformed(t *testing.T) {
	for sent, why := range map[string]string{
		"*1\r\n+PING\r\n":               "an argument begins with",
		"*2\r\n$4\r\nPINGG\r\n":         "a string of 4 bytes does not end there",
		"*x\r\n":                        "a command begins with",
		"*1\r\n$9999999999\r\n":         "a string has 9999999999 bytes",
		"SET a \"b\r\n":                 "quotes",
		"PSYNC ? -1\r\n":                "replication",
		strings.Repeat("a", 1<<16) + "": "longer than",
	} {
		s := start(t)
		conn := wiretest.Dial(t, s.proxy.Addr())
		if _, err := conn.Write([]byte(sent)); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Read(make([]byte, 1)); err == nil {
			t.Errorf("%.20q is answered", sent)
		}
		s.proxy.Close()
		if notes := strings.Join(s.Unreadable(), "\n"); !strings.Contains(notes, why) || !strings.Contains(notes, "the worker does not speak RESP") {
			t.Errorf("%.20q: notes %q", sent, notes)
		}
		if got := s.Steps(); len(got) != 0 {
			t.Errorf("%.20q: steps %q", sent, got)
		}
	}
}

// The same of the server, whose place another one takes.
func TestServerIsNoRedis(t *testing.T) {
	other, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	go func() {
		conn, err := other.Accept()
		if err != nil {
			return
		}
		_, _ = conn.Read(make([]byte, 100)) // whatever comes
		_, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
		_ = conn.Close()
	}()
	s := start(t)
	s.addr = other.Addr().String()
	s.listen(t)
	conn := wiretest.Dial(t, s.proxy.Addr())
	if _, err := conn.Write([]byte("GET a\r\n")); err != nil {
		t.Fatal(err)
	}
	if n, _ := conn.Read(make([]byte, 1)); n > 0 {
		t.Error("something was passed on")
	}
	s.Want(t, `GET a [lost: server has gone: a value begins with "HTTP/1.1 400 Bad Request"]`)
	if notes := strings.Join(s.Unreadable(), "\n"); !strings.Contains(notes, "the server does not speak RESP") {
		t.Errorf("notes %q", notes)
	}
}
