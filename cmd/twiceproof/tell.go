package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/internal/visible"
	"github.com/twiceproof/twiceproof/jobfile"
)

// The exit statuses.
const (
	statusGood        = 0
	statusFound       = 1
	statusUsage       = 2
	statusUnknown     = 3
	statusInterrupted = 130
)

// statusError ends the command with a status; everything has been said already.
type statusError struct{ status int }

func (e *statusError) Error() string { return fmt.Sprintf("exit status %d", e.status) }

type usageError struct {
	err     error
	command string
	near    []string // what was perhaps meant
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// tell writes what went wrong for a person, error: and then hint:, and gives the
// exit status.
func tell(ctx context.Context, w io.Writer, err error) int {
	var status *statusError
	var problem *hinted.Error
	var usage *usageError
	switch {
	case err == nil:
		return statusGood
	case errors.As(err, &status):
		return status.status
	case ctx.Err() != nil:
		fmt.Fprintln(w, "error: interrupted; nothing was left running")
		return statusInterrupted
	case len(jobfile.Errors(err)) > 0:
		for _, e := range jobfile.Errors(err) {
			line(w, e.Error(), e.Hint)
		}
	case errors.As(err, &problem):
		if problem.Output != "" {
			fmt.Fprintln(w, indent(problem.Output))
		}
		line(w, problem.What, unlessFull(problem.What+problem.Output, problem.Hint))
	case errors.As(err, &usage):
		line(w, err.Error(), usage.hint())
	default:
		line(w, err.Error(), unlessFull(err.Error(), ofThisMachine(err)))
	}
	return statusUsage
}

func (e *usageError) hint() string {
	if len(e.near) > 0 {
		return "did you mean " + strings.Join(e.near, ", ") + "?"
	}
	return "see " + e.command + " --help"
}

// ofThisMachine is the hint for what nobody has asked for.
func ofThisMachine(err error) string {
	switch {
	case errors.Is(err, syscall.EMFILE):
		return "raise the limit of open files, as ulimit -n 4096 does"
	case errors.Is(err, exec.ErrNotFound):
		return "let PATH name the folder that has it"
	}
	return "see twiceproof --help"
}

// unlessFull: where a disk is full, whatever was being written then, by us, a database
// or a build, its own hint would lead astray.
func unlessFull(said, hint string) string {
	said = strings.ToLower(said)
	full := diskFull + ", or name another one with --evidence and TMPDIR"
	if strings.HasPrefix(hint, diskFull) {
		full = hint // what was being written is known
	}
	if strings.Contains(said, "/dev/stdout") {
		full = diskFull + ", or send the output elsewhere"
	}
	for _, words := range []string{"no space left on device", "disk quota exceeded", "database or disk is full"} {
		if strings.Contains(said, words) {
			return full
		}
	}
	return hint
}

const diskFull = "the disk is full: free some space"

// line: what comes from data must not be taken for a line of ours.
func line(w io.Writer, what, hint string) {
	fmt.Fprintf(w, "error: %s\n", setIn(what))
	if hint != "" {
		fmt.Fprintf(w, "hint: %s\n", setIn(hint))
	}
}

func setIn(text string) string {
	return strings.ReplaceAll(visible.Text(numbersTold(text)), "\n", "\n  ")
}

func indent(text string) string {
	return "  | " + strings.ReplaceAll(visible.Text(text), "\n", "\n  | ")
}
