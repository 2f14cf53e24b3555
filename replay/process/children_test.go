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
