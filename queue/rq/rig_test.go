package rq

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/twiceproof/twiceproof/internal/testreplay"
	"github.com/twiceproof/twiceproof/queue"
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
	t.Cleanup(func() { _ = q.Close() })
	return rig{t, q, t.TempDir()}
}

// worker is one process of RQ and what it starts.
type worker struct {
	rig
	name    string
	gate    *wire.Gate
	command *exec.Cmd
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
	command := exec.Command(testreplay.Interpreter(r.T, "python/bin/rq", "bin/python"), arguments...)
	command.Env = append(os.Environ(), "RQ_REDIS_URL="+way.Addresses().Broker, "JOBS_FOLDER="+r.folder, "PYTHONPATH="+testdata(r.T))
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	log, err := os.Create(filepath.Join(r.TempDir(), name))
	if err != nil {
		r.Fatal(err)
	}
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		r.Fatal(err)
	}
	w := worker{r, name, gate, command}
	r.Cleanup(func() { w.kill(); way.Close(); gate.Close(); w.tellLog(log) })
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

func (w worker) tellLog(log *os.File) {
	if w.Failed() {
		text, _ := os.ReadFile(log.Name())
		w.Logf("worker %s:\n%s", w.name, text)
	}
	_ = log.Close()
}

// horses are the processes that the worker has started.
func (w worker) horses() []string {
	out, _ := exec.CommandContext(context.Background(), "pgrep", "-P", fmt.Sprint(w.command.Process.Pid)).Output()
	return strings.Fields(string(out))
}

func (w worker) killHorse() {
	w.Helper()
	horses := w.horses()
	if len(horses) == 0 {
		w.Fatal("there is no work horse")
	}
	for _, pid := range horses {
		_ = exec.CommandContext(w.Context(), "kill", "-9", pid).Run()
	}
}

// kill kills the worker and its work horse, which is in a group of its own.
func (w worker) kill() {
	_ = w.command.Process.Signal(syscall.SIGSTOP)
	for _, pid := range w.horses() {
		_ = exec.CommandContext(context.Background(), "kill", "-9", pid).Run()
	}
	_ = w.command.Process.Kill()
	_ = w.command.Wait()
	w.gate.Shut()
	w.q.Dead(w.name)
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
	ctx, cancel := context.WithTimeout(r.Context(), 20*time.Second)
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

// begins waits until so many jobs have begun, and gives what they were called with.
func (r rig) begins(n int) (calls []string) {
	r.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		text, _ := os.ReadFile(filepath.Join(r.folder, "begun"))
		if calls = strings.Split(strings.TrimSpace(string(text)), "\n"); len(text) > 0 && len(calls) >= n {
			return calls
		}
	}
	r.Fatalf("%d jobs have begun, want %d: told %q", len(calls), n, r.told())
	return nil
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
