package respwire_test

import (
	"fmt"
	"net"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// A dead worker's poll must not take the next message. The server is kept busy while the
// gate shuts, so that it has not seen the end of the worker's connection when the message
// comes: without Quiet, which is the control, the message is gone; with Quiet it stays.
func TestDeadWorkersPoll(t *testing.T) {
	for _, waits := range []bool{true, false} {
		t.Run(fmt.Sprint("waits ", waits), func(t *testing.T) {
			s := start(t)
			w := wiretest.StartWorker(t, s.proxy.Addr())
			s.Wait(t, "BRPOP queue", wire.Forwarded)
			blocked(t, s, 1)
			busy := wiretest.Dial(t, s.addr)
			say(t, busy, "PING\r\n", "+PONG\r\n") // or the server has yet to accept it
			occupy(t, busy, waits)
			s.gate.Shut()
			w.Kill()
			if waits {
				s.quiet(t)
				s.push(t, "queue", "m")
			}
			until(t, busy, map[bool]string{true: ":1\r\n", false: ":1\r\n:1\r\n"}[waits])
			want := map[bool]int{true: 1, false: 0}[waits]
			if got := s.list(t, "queue"); len(got) != want {
				t.Errorf("queued %v, want %d", got, want)
			}
			s.quiet(t)
			s.Want(t, "BRPOP queue [lost: gate is shut]")
		})
	}
}

// occupy keeps the server from reading anything for a while. What comes then on this
// connection it does first.
func occupy(t *testing.T, conn net.Conn, waits bool) {
	t.Helper()
	script := "local t = redis.call('TIME')[1] * 1000000 + redis.call('TIME')[2]; " +
		"repeat local n = redis.call('TIME')[1] * 1000000 + redis.call('TIME')[2] until n - t > 200000; return 1"
	then := "LPUSH queue m\r\n"
	if waits {
		then = ""
	}
	if _, err := fmt.Fprintf(conn, "EVAL \"%s\" 0\r\n%s", script, then); err != nil {
		t.Fatal(err)
	}
}

// blocked waits until as many clients wait in a poll.
func blocked(t *testing.T, s *setup, n int) {
	t.Helper()
	for {
		info, err := s.direct.InfoMap(t.Context(), "clients").Result()
		if err != nil {
			t.Fatal(err)
		}
		if info["Clients"]["blocked_clients"] == fmt.Sprint(n) {
			return
		}
	}
}

// A worker that goes in its poll by itself takes its poll with it.
func TestWorkerThatGoes(t *testing.T) {
	s := start(t)
	conn := wiretest.Dial(t, s.proxy.Addr())
	if _, err := conn.Write([]byte("BLMOVE queue work RIGHT LEFT 0\r\n")); err != nil {
		t.Fatal(err)
	}
	s.Wait(t, "BLMOVE queue work", wire.Forwarded)
	blocked(t, s, 1)
	_ = conn.Close()
	s.Wait(t, "BLMOVE queue work", wire.Lost)
	s.quiet(t)
	blocked(t, s, 0)
	s.push(t, "queue", "m")
	if got := s.list(t, "queue"); len(got) != 1 {
		t.Errorf("queued %v", got)
	}
	s.Want(t, "BLMOVE queue work [lost: client has gone]")
}
