//go:build linux

package process

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/twiceproof/twiceproof/replay/process/processtest"
)

func TestKillLeavesNothing(t *testing.T) {
	for _, c := range []struct{ name, script string }{
		{"alone", `echo ready >&3; exec sleep 1000`},
		{"with children", `sleep 1000 & sleep 1000 & echo ready >&3; wait`},
		{"deaf to SIGTERM", `trap '' TERM HUP INT; sleep 1000 & echo ready >&3; wait`},
		{"gone, its child has the output", `sleep 1000 & echo ready >&3`},
		{"a child in a session of its own", `setsid sh -c 'echo ready >&3; exec sleep 1000' & wait`},
		{"a session with children", `setsid sh -c 'sleep 1000 & setsid sleep 1000 & echo ready >&3; wait' & wait`},
		{"a session that has the output, deaf", `setsid sh -c 'trap "" TERM; echo ready >&3; while :; do sleep 1000; done' & sleep 1000`},
		{"children without end", `while :; do sleep 1000 & [ "$said" ] || echo ready >&3; said=1; [ $((n += 1)) -lt 50 ] || wait; done`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fifo := processtest.NewFIFO(t)
			mark := "TWICEPROOF_TEST=" + fifo
			p, err := Start("exec 3>'"+fifo+"'; "+c.script, t.TempDir(), append(os.Environ(), mark))
			if err != nil {
				t.Fatal(err)
			}
			f := processtest.AwaitLine(t, fifo)
			if len(processtest.Running(t, mark)) == 0 {
				t.Error("the check sees no worker while there is one")
			}
			p.Kill()
			if left := processtest.Running(t, mark); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
			if _, err := io.Copy(io.Discard, f); err != nil {
				t.Errorf("somebody still has the pipe: %v", err)
			}
			p.Kill() // by then the number may be another's
		})
	}
}

// The end of a process is seen though a child of it keeps the pipe.
func TestAnEndIsSeenAtOnce(t *testing.T) {
	fifo := processtest.NewFIFO(t)
	p, err := Start("exec 3>'"+fifo+"'; sleep 1000 & echo ready >&3; exit 3", t.TempDir(), os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	processtest.AwaitLine(t, fifo)
	<-p.Exited
	if got := exitStatus(p.Err); got != 3 || p.Err == nil {
		t.Errorf("exit status %d, %v", got, p.Err)
	}
	select {
	case <-p.silent:
		t.Error("nobody has the pipe: the test shows nothing")
	default:
	}
}

// A command with several parts runs as the shell has it, and its end is the
// command's.
func TestSeveralParts(t *testing.T) {
	for command, status := range map[string]int{"A=7; exit $A": 7, "cd / && exit 3": 3, "A=1 sh -c 'exit $A'": 1, "sh -c 'exit 4'": 4, "true": 0} {
		p, err := Start(command, "", os.Environ())
		if err != nil {
			t.Fatal(err)
		}
		<-p.Exited
		if got := exitStatus(p.Err); got != status {
			t.Errorf("%s: exit status %d, want %d", command, got, status)
		}
	}
}

func exitStatus(err error) int {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}
