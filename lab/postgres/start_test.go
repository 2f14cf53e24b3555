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
	processtest.PortClash(t, func(port func() (int, error)) (processtest.Server, error) { return start(t.Context(), port) }, shared(t).Port())
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
