package respwire_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

const (
	deliver = "Deliver queue"
	effect  = "INCR effect"
	acks    = "MULTI; ZREM unacked_index; HDEL unacked; EXEC"
)

// work is a worker that takes one message, has its effect, and acknowledges. It says what
// it has heard.
func work(addr string) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		panic(err)
	}
	r := bufio.NewReader(conn)
	for _, said := range []struct {
		command string
		lines   int
	}{
		{"BRPOP queue 0\r\n", 5},
		{"INCR effect\r\n", 1},
		{"MULTI\r\nZREM unacked_index tag\r\nHDEL unacked tag\r\nEXEC\r\n", 6},
	} {
		fmt.Fprint(conn, said.command)
		for range said.lines {
			if _, err := r.ReadString('\n'); err != nil {
				fmt.Println("done", err)
				os.Exit(0)
			}
		}
		fmt.Print("heard ", said.command)
	}
	fmt.Println("done")
	os.Exit(0)
}

func heard(w *wiretest.Worker) int { return strings.Count(w.Said.String(), "heard ") }

// Where the worker is killed decides what is in the server, and what it has heard.
func TestKill(t *testing.T) {
	for _, c := range []struct {
		text    string
		side    wire.Side
		queued  int
		effects string
		unacked int64
		heard   int
	}{
		{"BRPOP queue", wire.Before, 1, "", 1, 0},
		{"BRPOP queue", wire.After, 0, "", 1, 0}, // Redis has handed it over: lost
		{deliver, wire.Before, 0, "", 1, 0},
		{effect, wire.Before, 0, "", 1, 1},
		{effect, wire.After, 0, "1", 1, 1},
		{acks, wire.Before, 0, "1", 1, 2},
		{acks, wire.After, 0, "1", 0, 2},
	} {
		t.Run(c.side.String()+" "+c.text, func(t *testing.T) {
			s := start(t)
			s.push(t, "queue", "m")
			s.direct.HSet(t.Context(), "unacked", "tag", "m")
			w := wiretest.KilledAt(t, s.gate, text("BRPOP queue"), wire.Fault{Match: text(c.text), Side: c.side}, s.proxy.Addr())
			s.quiet(t)
			effects := s.direct.Get(t.Context(), "effect").Val()
			unacked := s.direct.HLen(t.Context(), "unacked").Val()
			if got := len(s.list(t, "queue")); got != c.queued || effects != c.effects || unacked != c.unacked {
				t.Errorf("queued %d, effects %q, unacked %d", got, effects, unacked)
			}
			if got := heard(w); got != c.heard {
				t.Errorf("heard %d, want %d: %s", got, c.heard, w.Said)
			}
			steps := s.Steps()
			if last := steps[len(steps)-1]; !strings.HasPrefix(last, c.text+" [killed:") {
				t.Errorf("steps %q, want %q killed last", steps, c.text)
			}
		})
	}
}

// After a delivery the worker has it, and is killed then.
func TestKilledWithItsMessage(t *testing.T) {
	s := start(t)
	s.push(t, "queue", "m")
	conn := wiretest.Dial(t, s.proxy.Addr())
	a := s.gate.Arm(wire.Fault{Match: text(deliver), Side: wire.After, Do: wire.Kill, Kill: func() {
		until(t, conn, "$1\r\nm\r\n")
	}})
	if _, err := conn.Write([]byte("BRPOP queue 0\r\n")); err != nil {
		t.Fatal(err)
	}
	<-a.Fired()
	s.quiet(t)
	s.Want(t, "BRPOP queue [message]", deliver+" [killed: ]")
}

// The control: nobody kills it.
func TestWorkerAlone(t *testing.T) {
	s := start(t)
	w := wiretest.StartWorker(t, s.proxy.Addr())
	s.Wait(t, "BRPOP queue", wire.Forwarded)
	if n := s.gate.InFlight(text("BRPOP queue")); n != 1 {
		t.Errorf("%d polls wait", n)
	}
	s.push(t, "queue", "m")
	if err := w.Wait(); err != nil || heard(w) != 3 {
		t.Errorf("%v, said %s", err, w.Said)
	}
	s.Want(t, "BRPOP queue [message]", deliver+" []", effect+" [1]", acks+" [EXEC 0, 0]")
}

// Dropped is the connection, before the server heard or after it has done it; the next
// one is served.
func TestDrop(t *testing.T) {
	for side, want := range map[wire.Side]string{wire.Before: "", wire.After: "1"} {
		s := start(t)
		a := s.gate.Arm(wire.Fault{Match: text(effect), Side: side, Do: wire.Drop})
		c := client(t, s.proxy.Addr(), 3)
		if err := c.Incr(t.Context(), "effect").Err(); err == nil {
			t.Errorf("%s: the client heard nothing of it", side)
		}
		<-a.Fired()
		s.quiet(t)
		if got := s.direct.Get(t.Context(), "effect").Val(); got != want {
			t.Errorf("%s: effects %q, want %q", side, got, want)
		}
		if err := c.Incr(t.Context(), "effect").Err(); err != nil {
			t.Errorf("%s: the next connection: %v", side, err)
		}
	}
}

// A message that a worker was to get when its connection is dropped is off the list, and
// the worker has nothing of it.
func TestDropOfADelivery(t *testing.T) {
	s := start(t)
	s.push(t, "queue", "m")
	a := s.gate.Arm(wire.Fault{Match: text(deliver), Do: wire.Drop})
	conn := wiretest.Dial(t, s.proxy.Addr())
	if _, err := conn.Write([]byte("BRPOP queue 0\r\n")); err != nil {
		t.Fatal(err)
	}
	<-a.Fired()
	s.quiet(t)
	if n, err := conn.Read(make([]byte, 1)); n > 0 || err == nil {
		t.Errorf("the worker read %d bytes, %v", n, err)
	}
	if got := s.list(t, "queue"); len(got) != 0 {
		t.Errorf("still queued: %v", got)
	}
	s.Want(t, "BRPOP queue [message]", deliver+" [dropped: ]")
}

// Refuse and Admit are those of every wire; here it is that the proxy has them.
func TestRefuse(t *testing.T) {
	s := start(t)
	c := client(t, s.proxy.Addr(), 3)
	s.proxy.Refuse()
	if err := c.Incr(t.Context(), "effect").Err(); err == nil {
		t.Error("a connection was made")
	}
	s.proxy.Admit()
	if err := c.Incr(t.Context(), "effect").Err(); err != nil {
		t.Error(err)
	}
	if got := s.direct.Get(t.Context(), "effect").Val(); got != "1" {
		t.Errorf("effects %s", got)
	}
}
