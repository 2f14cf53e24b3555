package postgres

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// ownerEnv makes this test binary start a server and wait to be killed.
const ownerEnv = "TWICEPROOF_LAB_OWNER"

func beOwner() {
	s, err := Start(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, explain(err))
		os.Exit(1)
	}
	fmt.Println(s.port, s.dir)
	select {}
}

// A killed owner runs no deferred call and no cleanup.
func TestKilledOwnerLeavesNothing(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), ownerEnv+"=1")
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var port int
	var dir string
	if _, err := fmt.Sscan(line, &port, &dir); err != nil {
		t.Fatal(err)
	}
	if silent(port) {
		t.Fatalf("nothing listens on %d", port)
	}

	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()

	deadline := time.After(20 * time.Second)
	for poll := time.NewTicker(20 * time.Millisecond); ; {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			break
		}
		select {
		case <-poll.C:
		case <-deadline:
			t.Fatalf("%s is still there", dir)
		}
	}
	assertGone(t, dir, port)
}

// A server that is already dead must not make Stop wait.
func TestStopAfterTheServerDied(t *testing.T) {
	s, err := Start(t.Context())
	if err != nil {
		t.Fatal(explain(err))
	}
	var pid int
	file, err := os.ReadFile(s.data() + "/postmaster.pid")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(string(file), &pid); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-s.exited
	began := time.Now()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("Stop took %v", took)
	}
	assertGone(t, s.dir, s.port)
}
