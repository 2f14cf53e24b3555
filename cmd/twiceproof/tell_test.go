package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/twiceproof/twiceproof/internal/hinted"
)

// A full disk is told as one, whoever found it; other errors keep their own hint.
func TestFullDiskIsToldAsOne(t *testing.T) {
	const hint = "hint: the disk is full: "
	for _, c := range []struct {
		err  error
		full bool
	}{
		{fmt.Errorf("write: %w", syscall.ENOSPC), true},
		{fmt.Errorf("write: %w", syscall.EDQUOT), true},
		{&hinted.Error{What: "the schema cannot be applied: database or disk is full (13)", Hint: "check the files"}, true},
		{&hinted.Error{What: "the build failed: exit status 1", Hint: "run it", Output: "ld: write out: No space left on device"}, true},
		{&hinted.Error{What: "the build failed: exit status 1", Hint: "run it", Output: "oops"}, false},
		{errors.New("read only"), false},
	} {
		var text bytes.Buffer
		if status := tell(t.Context(), &text, c.err); status != statusUsage || strings.Contains(text.String(), hint) != c.full {
			t.Errorf("%v: status %d, told as\n%s", c.err, status, text.String())
		}
	}
}

// What this machine lacks is told; of anything else nothing is guessed.
func TestWhatTheMachineLacks(t *testing.T) {
	_, missing := exec.LookPath("no-such-program-at-all")
	for want, err := range map[string]error{
		"hint: raise the limit": fmt.Errorf("new/sequential: %w", syscall.EMFILE), "hint: let PATH name": fmt.Errorf("new/sequential: %w", missing),
		"hint: see twiceproof": errors.New("new/sequential: something else"),
	} {
		var text bytes.Buffer
		if tell(t.Context(), &text, err); !strings.Contains(text.String(), want) {
			t.Errorf("got\n%s, want %s", text.String(), want)
		}
	}
}
