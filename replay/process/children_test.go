//go:build linux

package process

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/replay/process/processtest"
)

// pool sees the end of its one child by the end of a pipe, as Celery does, and asks the system
// once whether it has ended.
func pool() {
	read, write, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	child := exec.Command("sleep", "1000")
	child.ExtraFiles = []*os.File{write}
	if err := child.Start(); err != nil {
		panic(err)
	}
	write.Close()
	_, _ = read.Read(make([]byte, 1))
	pid, _ := syscall.Wait4(child.Process.Pid, nil, syscall.WNOHANG, nil)
	fmt.Println("ended:", pid == child.Process.Pid)
}

// Who is woken by the end of a child finds that it has ended. Killed while the first process
// runs, it does not always: Celery then looks again five seconds later.
func TestAKilledChildHasEnded(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		p, err := Start(self+" pool", "", os.Environ())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Kill)
		for !hasChild(p, "sleep") && !p.HasExited() {
			time.Sleep(time.Millisecond)
		}
		if n := p.KillChildren(); n != 1 {
			t.Fatalf("%d children; it printed %q", n, p.Printed())
		}
		<-p.Exited
		if !strings.Contains(p.Printed(), "ended: true") {
			t.Fatalf("it printed %q", p.Printed())
		}
	}
}

func hasChild(p *Process, name string) bool {
	for pid, s := range processes() {
		if s.parent == p.Pid && nameOf(pid) == name {
			return true
		}
	}
	return false
}

// RQ's work horse has a group of its own. Standing still and going on is for it, too.
func TestASignalForAllReachesAChildThatHasLeftTheGroup(t *testing.T) {
	t.Parallel()
	p, err := Start("setsid sleep 1000 & sleep 1001; wait", "", os.Environ()) // setsid forks where it leads a group, and does not here
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	left := awaitLeft(t, p)
	p.Signal(syscall.SIGSTOP)
	awaitState(t, p.Pid, "T")
	if state(left) == "T" { // the control: the group's signal does not reach it
		t.Error("it was stopped with the group")
	}
	p.SignalAll(syscall.SIGSTOP)
	awaitState(t, left, "T")
	p.SignalAll(syscall.SIGCONT)
	awaitState(t, left, "S")
}

// awaitLeft waits for a child that has left the group.
func awaitLeft(t *testing.T, p *Process) int {
	t.Helper()
	for end := time.Now().Add(processtest.GivesUp); time.Now().Before(end) && !p.HasExited(); time.Sleep(time.Millisecond) {
		for pid, s := range processes() {
			if s.parent == p.Pid && s.group != p.Pid && nameOf(pid) == "sleep" {
				return pid
			}
		}
	}
	t.Fatalf("no child has left the group; it printed %q", p.Output())
	return 0
}

func state(pid int) string {
	_, after, _ := strings.Cut(oneRead(procFile(pid, "stat")), ") ")
	return after[:min(1, len(after))]
}

func awaitState(t *testing.T, pid int, want string) {
	t.Helper()
	for end := time.Now().Add(processtest.GivesUp); state(pid) != want; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("its state is %s, want %s", state(pid), want)
		}
	}
}
