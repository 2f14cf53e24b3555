package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestPeopleScripts are the commands of the person who looks after the records; each
// script has a job, its database and its queue.
func TestPeopleScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/people", Setup: sweepSetUp, RequireExplicitExec: true, RequireUniqueNames: true, UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status, "change": changeText, "sql": runSQL, "stale": makeStale, "queued": queued, "ageless": ageless, "pasted": pasted,
		},
	})
}

var ages = regexp.MustCompile(`(for |_ms": )[0-9]+[dhms]*`)

// ageless prints a file without what passes: how long something has been held or stale.
func ageless(ts *testscript.TestScript, _ bool, args []string) {
	text := ages.ReplaceAllString(ts.ReadFile(args[0]), "${1}0")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// pasted N DECISION runs one of the commands that held printed, in a shell, with a reason.
func pasted(ts *testscript.TestScript, _ bool, args []string) {
	for _, line := range strings.Split(ts.ReadFile("out"), "\n") {
		_, command, found := strings.Cut(line, " twiceproof resolve ")
		if found && strings.Contains(command, " --"+args[1]+" ") {
			command = strings.Replace(command, "--why why", "--why 'it is there' --by ann --apply", 1)
			status(ts, false, []string{args[0], "bash", "-c", "twiceproof resolve " + command})
			return
		}
	}
	ts.Fatalf("no such command in %s", ts.ReadFile("out"))
}
