package wiretest

import (
	"context"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
)

// workerEnv makes a test binary the worker of this address.
const workerEnv = "WIRE_TEST_WORKER"

// Worker is this test binary, run as a worker in a process group of its own.
type Worker struct {
	// Said may be read when it has ended.
	Said *strings.Builder
	cmd  *exec.Cmd
}

// StartWorker starts one with the address of its peer.
func StartWorker(t testing.TB, addr string) *Worker {
	t.Helper()
	w := &Worker{&strings.Builder{}, exec.Command(os.Args[0])} //nolint:noctx // it is ended by its group
	w.cmd.Env = append(os.Environ(), workerEnv+"="+addr)
	w.cmd.Stdout = w.Said
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Kill)
	return w
}

// Kill kills its group and waits for its end.
func (w *Worker) Kill() {
	_ = syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL) // it may have ended
	_ = w.cmd.Wait()                                      // killed: an error is what it says
}

// Wait waits until it has ended by itself.
func (w *Worker) Wait() error { return w.cmd.Wait() }

// Dead tells whether it was waited for.
func (w *Worker) Dead() bool { return w.cmd.ProcessState != nil }

// KilledAt starts a worker that is killed by the fault. It is held at its first step until
// it is known to whoever kills it.
func KilledAt(t testing.TB, gate *wire.Gate, first func(wire.Step) bool, at wire.Fault, addr string) *Worker {
	t.Helper()
	var w *Worker
	hold := gate.Arm(wire.Fault{Match: first, Do: wire.Hold})
	at.Do, at.Kill = wire.Kill, func() { w.Kill() }
	killed := gate.Arm(at)
	w = StartWorker(t, addr)
	<-hold.Fired()
	hold.Release()
	<-killed.Fired()
	return w
}

// Quiet waits until no peer is busy with what has passed the gate.
func Quiet(t testing.TB, gate *wire.Gate) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := gate.Quiet(ctx); err != nil {
		t.Fatal(err)
	}
}

// Dial is a connection of which each byte is the test's own.
func Dial(t testing.TB, addr string) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // a test may have closed it
	return conn
}
