package testdb

import (
	"os/exec"
	"testing"
)

// Needs ends a test whose program is not there, as a missing server does.
func Needs(t testing.TB, program, hint string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		Started(t, &notThere{err, hint})
	}
}

type notThere struct {
	error
	hint string
}

func (e *notThere) Hint() string { return e.hint }
