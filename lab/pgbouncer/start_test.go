package pgbouncer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/lab/internal/process"
	"github.com/twiceproof/twiceproof/lab/internal/process/processtest"
)

// ownerEnv makes this test binary start a server and wait to be killed.
const ownerEnv = "TWICEPROOF_LAB_OWNER"

// beOwner needs no server behind: PgBouncer answers on its console without.
func beOwner() {
	s, err := start(context.Background(), process.FreePort, settings{serverPort: 1, mode: "transaction", poolSize: 1})
	if err != nil {
		fmt.Fprintln(os.Stderr, processtest.Explain(err))
		os.Exit(1)
	}
	fmt.Println(s.group.Port, s.group.Dir)
	select {}
}

func TestKilledOwnerLeavesNothing(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), ownerEnv+"=1")
	cmd.Stderr = os.Stderr
	processtest.KillOwner(t, cmd)
}

func TestPortClash(t *testing.T) {
	// One that is silent, one of another PgBouncer, one of a PostgreSQL.
	ports := []int{processtest.TakenPort(t), own(t, "session", 1).group.Port, behind(t).Port()}
	asked := 0
	s, err := start(t.Context(), func() (int, error) {
		asked++
		if asked <= len(ports) {
			return ports[asked-1], nil
		}
		return process.FreePort()
	}, settings{behind(t).Port(), "transaction", 1})
	if err != nil {
		t.Fatal(processtest.Explain(err))
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	if asked != len(ports)+1 {
		t.Errorf("asked for %d ports, want %d", asked, len(ports)+1)
	}
}

func TestNotInstalled(t *testing.T) {
	nowhere := func(string) (string, error) { return "", exec.ErrNotFound }
	_, err := find(process.Places{LookPath: nowhere, Globs: []string{"/nowhere/*"}})
	var missing *NotInstalledError
	if !errors.As(err, &missing) {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(err.Error(), "/nowhere/*") || !strings.Contains(missing.Hint(), "PATH") {
		t.Errorf("%v\nhint: %s", err, missing.Hint())
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		s, err := start(b.Context(), process.FreePort, settings{serverPort: 1, mode: "transaction", poolSize: 1})
		if err != nil {
			b.Fatal(processtest.Explain(err))
		}
		b.StopTimer()
		if err := s.Stop(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
