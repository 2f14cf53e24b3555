package process

import (
	"errors"
	"os/exec"
	"testing"
	"time"
)

// A shell that is told to replace itself by what only a shell knows fails with 127.
func TestShellsOwnWordsRunAsTheyAre(t *testing.T) {
	for command, want := range map[string]int{
		":": 0, "exit 3": 3, "{ (exit 4) }; exit 5": 5, "{ true; }": 0, " . /dev/null": 0, "! false": 0, "if true; then exit 7; fi": 7,
		"cd /": 0, "export A=b": 0, "set -e": 0, "command true": 0, "true": 0, "sh -c 'exit 8'": 8, "> /dev/null true": 0, "nosuchprogram": 127,
	} {
		_, err := Run(t.Context(), command, t.TempDir(), []string{"PATH=/usr/bin:/bin"}, 5*time.Minute)
		status := 0
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			status, err = exit.ExitCode(), nil
		}
		if err != nil || status != want {
			t.Errorf("%s: status %d (%v), want %d", command, status, err, want)
		}
	}
}

// A program whose name only begins like a word of the shell still takes its place.
func TestAPlainCommandTakesTheShellsPlace(t *testing.T) {
	for _, command := range []string{"setworker", "./exit", "time-worker -x", "{out}/new", `"$WORKERS/new"`, "timeout 5 worker"} {
		if got := inPlace(command); got != "exec "+command {
			t.Errorf("%s: %q", command, got)
		}
	}
}

func TestInPlace(t *testing.T) {
	for command, want := range map[string]string{
		"./worker -q charges > log":     "exec ./worker -q charges > log",
		"bundle exec sidekiq":           "exec bundle exec sidekiq",
		"\"$WORKERS/new\" --a=b":        "exec \"$WORKERS/new\" --a=b",
		"exec ./worker":                 "exec ./worker",
		"RAILS_ENV=test ./worker":       "RAILS_ENV=test ./worker",
		"cd app && ./worker":            "cd app && ./worker",
		"(cd app; ./worker)":            "(cd app; ./worker)",
		"./worker | tee log":            "./worker | tee log",
		"export A=1\nexec ./worker":     "export A=1\nexec ./worker",
		"  VIRTUAL_ENV=.venv celery -A": "  VIRTUAL_ENV=.venv celery -A",
	} {
		if got := inPlace(command); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
