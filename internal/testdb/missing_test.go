package testdb

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/lab/postgres"
)

// ending records how a test would have ended.
type ending struct {
	testing.TB
	fatal, skip string
}

func (e *ending) Helper() {}

func (e *ending) Fatalf(format string, args ...any) {
	e.fatal = fmt.Sprintf(format, args...)
	panic(e)
}

func (e *ending) Skipf(format string, args ...any) {
	e.skip = fmt.Sprintf(format, args...)
	panic(e)
}

func endOf(skip string, err error) *ending {
	e := &ending{}
	func() {
		defer func() { _ = recover() }()
		missing(e, skip, err)
	}()
	return e
}

func TestMissing(t *testing.T) {
	notInstalled := fmt.Errorf("start PostgreSQL: %w", &postgres.NotInstalledError{Looked: []string{"PATH"}})

	got := endOf("", notInstalled)
	if got.skip != "" || !strings.Contains(got.fatal, "hint: ") || !strings.Contains(got.fatal, skipEnv) {
		t.Errorf("not installed: %+v, want a failure with the line to type", got)
	}
	if got := endOf("1", notInstalled); got.skip == "" || got.fatal != "" {
		t.Errorf("not installed, going without: %+v, want a skip", got)
	}
	if got := endOf("1", errors.New("initdb broke")); got.fatal == "" || got.skip != "" {
		t.Errorf("installed but broken, going without: %+v, want a failure", got)
	}
}
