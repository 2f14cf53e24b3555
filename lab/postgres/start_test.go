package postgres

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/lab/internal/process"
	"github.com/twiceproof/twiceproof/lab/internal/process/processtest"
)

func TestPortClash(t *testing.T) {
	taken := processtest.TakenPort(t)
	var asked []int
	s, err := start(t.Context(), func() (int, error) {
		asked = append(asked, 0)
		switch len(asked) {
		case 1:
			return taken, nil // and silent
		case 2:
			return shared(t).Port(), nil // taken by another PostgreSQL, which answers
		default:
			return process.FreePort()
		}
	})
	if err != nil {
		t.Fatal(processtest.Explain(err))
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	if len(asked) != 3 {
		t.Errorf("asked for %d ports, want 3", len(asked))
	}
}

func TestStartThatFailsLeavesNothing(t *testing.T) {
	temp := processtest.OpenTemp(t)
	t.Setenv("TMPDIR", temp)
	folders := func() []string {
		found, err := filepath.Glob(filepath.Join(temp, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}

	t.Run("before initdb ends", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := Start(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v", err)
		}
		if left := folders(); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})

	t.Run("after initdb", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, err := start(ctx, func() (int, error) {
			if len(folders()) != 1 {
				t.Errorf("folders during the start: %v", folders())
			}
			cancel()
			return process.FreePort()
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
		if left := folders(); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})

	t.Run("server refuses its settings", func(t *testing.T) {
		_, err := start(t.Context(), func() (int, error) { return 70_000, nil })
		if err == nil || !strings.Contains(err.Error(), "70000") {
			t.Fatalf("the reason is not in the error: %v", err)
		}
		if left := folders(); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}
