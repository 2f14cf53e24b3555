//go:build linux

package process

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/replay/process/processtest"
)

// adopt is a program that starts two workers, one with a daemon, kills that one, and
// ends what it has left.
func adopt(fifo string) {
	AdoptOrphans()
	before := Children()
	first, err := Start("exec 3>'"+fifo+"'; (setsid sh -c 'echo detached >&3; exec sleep 1000' &); echo left >&3; exec sleep 1000", "", os.Environ())
	if err != nil {
		panic(err)
	}
	second, err := Start("sleep 1000", "", os.Environ())
	if err != nil {
		panic(err)
	}
	if f, err := os.Open(fifo); err == nil {
		var daemon, parent string
		_, _ = fmt.Fscan(f, &daemon, &parent)
	}
	first.Kill()
	fmt.Println(EndOrphans(before, ""), second.HasExited(), EndOrphans(before, ""))
	second.Kill()
}

// What a worker has left behind ends with it, and not with its case; the other workers
// live on.
func TestADaemonEndsWithItsWorker(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	fifo := processtest.NewFIFO(t)
	program := exec.Command(self, "adopt", fifo)
	program.Env = append(os.Environ(), "TWICEPROOF_TEST="+fifo)
	program.Stderr = os.Stderr
	printed, err := program.Output()
	if got := strings.TrimSpace(string(printed)); err != nil || got != "[sleep] false []" && got != "[sh] false []" {
		t.Errorf("got %q, %v", got, err)
	}
	if left := processtest.Running(t, "TWICEPROOF_TEST="+fifo); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
