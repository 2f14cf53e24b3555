package postgres

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/lab/internal/process/processtest"
)

func beOwner() {
	s, err := Start(context.Background())
	processtest.Must(err)
	processtest.Own(s.Port(), s.group.Dir)
}

func TestKilledOwnerLeavesNothing(t *testing.T) { processtest.KillOwner(t) }

// A server that is already dead must not make Stop wait.
func TestStopAfterTheServerDied(t *testing.T) {
	s, err := Start(t.Context())
	if err != nil {
		t.Fatal(processtest.Explain(err))
	}
	if err := syscall.Kill(postmaster(t, s), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	processtest.Eventually(t, "the server still answers", func() bool { return processtest.Silent(s.Port()) })
	began := time.Now()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 7*time.Second { // whoever waits for it does so for 8 s
		t.Errorf("Stop took %v", took)
	}
	processtest.Gone(t, s.group.Dir, s.Port())
}

// postmaster is the process id of the server.
func postmaster(t *testing.T, s *Server) int {
	t.Helper()
	file, err := os.ReadFile(s.data() + "/postmaster.pid")
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(file), &pid); err != nil {
		t.Fatal(err)
	}
	return pid
}
