package main

import (
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// silent is a server that takes each connection, and never says a word.
type silent struct {
	address string
	taken   atomic.Int32
}

// newSilent also shortens the time that doctor has for one server.
func newSilent(t *testing.T, limit time.Duration) *silent {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	usual := sourceLimit
	sourceLimit = limit
	s, ended := &silent{address: l.Addr().String()}, make(chan struct{})
	t.Cleanup(func() {
		sourceLimit = usual
		_ = l.Close()
		<-ended
	})
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
			s.taken.Add(1)
		}
	}()
	return s
}

// doctorOnSilent gives doctor ten times as long where a full machine has not let it ask.
func doctorOnSilent(t *testing.T, server string, limit time.Duration, args func(address string) []string) {
	t.Helper()
	s := newSilent(t, limit)
	_, _, errs := doctorRun(t, statusUsage, args(s.address)...)
	if s.taken.Load() == 0 && limit < time.Minute {
		doctorOnSilent(t, server, 10*limit, args)
		return
	}
	s.check(t, server, errs)
}

// check: it was asked, and it is named as the one that does not answer.
func (s *silent) check(t *testing.T, server, errs string) {
	t.Helper()
	if s.taken.Load() == 0 {
		t.Errorf("nobody has asked %s: %s", server, errs)
	}
	if !strings.Contains(errs, "error: "+server+" at "+s.address+" did not answer all questions within ") || !strings.Contains(errs, "\nhint: ") {
		t.Error(errs)
	}
}

// Each kind of server, when it is silent, ends the reading, which waits for it otherwise. The
// control is that nobody is there, which is told by TestDoctorUnreachable in other words.
func TestDoctorOnSilentServers(t *testing.T) {
	noSources(t)
	t.Setenv("AWS_REGION", "us-east-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
	for _, c := range []struct{ server, flag, before, after string }{
		{"the database", "--dsn", "postgres://me:hunter2@", "/shop"},
		{"the database", "--dsn", "mysql://me:hunter2@", "/shop"},
		{"the broker", "--broker", "redis://:hunter2@", "/0"},
		{"the broker", "--broker", "rediss://:hunter2@", "/0"},
		{"the broker", "--broker", "amqp://me:hunter2@", "//"},
		{"the queue", "--queue-url", "http://", "/000000000000/charges"},
	} {
		doctorOnSilent(t, c.server, 300*time.Millisecond, func(address string) []string { return []string{c.flag, c.before + address + c.after} })
	}
}
