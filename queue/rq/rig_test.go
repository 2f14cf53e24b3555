package rq

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/twiceproof/twiceproof/internal/testreplay"
	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/replay/process"
	"github.com/twiceproof/twiceproof/wire"
)

// rig is a queue whose workers are RQ's own, each behind a proxy.
type rig struct {
	*testing.T
	q      *Queue
	folder string // in which the jobs tell that they have begun, and are told to go on
}

func start(t *testing.T, function string) rig {
	t.Helper()
	q, err := Start(t.Context(), function)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() }) // the server ends either way
	return rig{t, q, t.TempDir()}
}

// worker is one process of RQ and what it starts.
type worker struct {
	rig
	name    string
	gate    *wire.Gate
	process *process.Process
}

// worker starts one and waits until it asks for jobs, or has taken one.
func (r rig) worker(name string, arguments ...string) worker {
	r.Helper()
	gate := wire.NewGate(func(e wire.Event) { r.q.Crossed(name, e) })
	way, err := r.q.Listen(gate, name)
	if err != nil {
		r.Fatal(err)
	}
	if len(arguments) == 0 {
		arguments = []string{"worker"}
	}
	program := testreplay.Interpreter(r.T, "python/bin/rq", "bin/python")
	environ := append(os.Environ(), "RQ_REDIS_URL="+way.Addresses().Broker, "JOBS_FOLDER="+r.folder, "PYTHONPATH="+testdata(r.T))
	started, err := process.Start("'"+program+"' "+strings.Join(arguments, " "), "", environ)
	if err != nil {
		r.Fatal(err)
	}
	w := worker{r, name, gate, started}
	r.Cleanup(func() { w.kill(); way.Close(); gate.Close(); w.tellLog() })
	r.wait(func(s queue.Snapshot) bool { return s.Asking[name] || strings.Contains(r.told(), "received1 "+name) })
	return w
}

func testdata(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func (w worker) tellLog() {
	if w.Failed() {
		w.Logf("worker %s:\n%s", w.name, w.process.Printed())
	}
}

func (w worker) killHorse() {
	w.Helper()
	if w.process.KillChildren() == 0 {
		w.Fatal("there is no work horse")
	}
}

// kill kills the worker and its work horse, which is in a group of its own.
func (w worker) kill() {
	w.process.Kill()
	w.gate.Shut()
	w.q.Dead(w.name)
}

// pause stops both, and sees that they stand.
func (w worker) pause() {
	w.Helper()
	w.process.SignalAll(syscall.SIGSTOP)
	all := w.process.All()
	if len(all) < 2 {
		w.Fatalf("%d processes, without a work horse", len(all))
	}
	w.until("all of it stands", func() bool { return !slices.ContainsFunc(all, func(pid int) bool { return !stands(pid) }) })
}

func stands(pid int) bool {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // of one that has ended it is empty
	return strings.Contains(string(text), ") T ")
}

func (r rig) send(body string) string {
	r.Helper()
	id, err := r.q.Send(queue.Message{Body: body})
	if err != nil {
		r.Fatal(err)
	}
	return id
}

func (r rig) advance(d time.Duration) {
	r.Helper()
	if err := r.q.Advance(d); err != nil {
		r.Fatal(err)
	}
}

func (r rig) wait(ok func(queue.Snapshot) bool) {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	if err := r.q.Wait(ctx, ok); err != nil {
		r.Fatalf("%v: told %q", err, r.told())
	}
}

// idle waits until these workers have nothing to do.
func (r rig) idle(names ...string) {
	r.Helper()
	r.wait(func(s queue.Snapshot) bool {
		for _, name := range names {
			if !s.Idle[name] {
				return false
			}
		}
		return s.Visible == 0
	})
}

// patience bounds a wait on a loaded machine.
const patience = time.Minute

func (r rig) until(what string, is func() bool) {
	r.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			r.Fatalf("not %s: told %q", what, r.told())
		}
	}
}

// begins waits until so many jobs have begun, and gives what they were called with.
func (r rig) begins(n int) (calls []string) {
	r.Helper()
	r.until(fmt.Sprintf("%d jobs have begun", n), func() bool {
		text, _ := os.ReadFile(filepath.Join(r.folder, "begun")) // or none has
		calls = strings.Split(strings.TrimSpace(string(text)), "\n")
		return len(text) > 0 && len(calls) >= n
	})
	return calls
}

// goOn lets jobs that wait come to their end.
func (r rig) goOn() {
	r.Helper()
	if err := os.WriteFile(filepath.Join(r.folder, "go"), nil, 0o600); err != nil {
		r.Fatal(err)
	}
}

func (r rig) told() string {
	var all []string
	for _, e := range r.q.Look().Events {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s%d %s", e.Kind, e.Copy, e.Worker)))
	}
	return strings.Join(all, ", ")
}

func (r rig) expect(want string) {
	r.Helper()
	if got := r.told(); got != want {
		r.Errorf("told %q, want %q", got, want)
	}
}

// redis is a client beside the proxies.
func (r rig) redis() *redis.Client { return r.q.Client }
