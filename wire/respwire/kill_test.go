package respwire_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
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

type worker struct {
	cmd  *exec.Cmd
	said *strings.Builder
}

func startWorker(t *testing.T, addr string) *worker {
	w := &worker{exec.CommandContext(t.Context(), os.Args[0]), &strings.Builder{}}
	w.cmd.Env = append(os.Environ(), "RESPWIRE_TEST_WORKER="+addr)
	w.cmd.Stdout = w.said
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.kill)
	return w
}

func (w *worker) kill() {
	_ = syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL) // it may have ended
	_ = w.cmd.Wait()                                      // killed: an error is what it says
}

func (w *worker) heard() int { return strings.Count(w.said.String(), "heard ") }

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
			var w *worker
			hold := s.gate.Arm(wire.Fault{Match: text("BRPOP queue"), Do: wire.Hold})
			a := s.gate.Arm(wire.Fault{Match: text(c.text), Side: c.side, Do: wire.Kill, Kill: func() { w.kill() }})
			w = startWorker(t, s.proxy.Addr())
			<-hold.Fired()
			hold.Release()
			<-a.Fired()
			s.quiet(t)
			effects := s.direct.Get(t.Context(), "effect").Val()
			unacked := s.direct.HLen(t.Context(), "unacked").Val()
			if got := len(s.list(t, "queue")); got != c.queued || effects != c.effects || unacked != c.unacked {
				t.Errorf("queued %d, effects %q, unacked %d", got, effects, unacked)
			}
			if got := w.heard(); got != c.heard {
				t.Errorf("heard %d, want %d: %s", got, c.heard, w.said)
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
	conn := raw(t, s.proxy.Addr())
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
	w := startWorker(t, s.proxy.Addr())
	s.Wait(t, "BRPOP queue", wire.Forwarded)
	if n := s.gate.InFlight(text("BRPOP queue")); n != 1 {
		t.Errorf("%d polls wait", n)
	}
	s.push(t, "queue", "m")
	if err := w.cmd.Wait(); err != nil || w.heard() != 3 {
		t.Errorf("%v, said %s", err, w.said)
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
	conn := raw(t, s.proxy.Addr())
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
