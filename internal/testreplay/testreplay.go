// Package testreplay replays the examples whole, and compares what is found with what is
// written of it.
//
// Hard rule: imported by tests only.
package testreplay

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Tool builds the command.
func Tool(t *testing.T) string {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "twiceproof")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", tool, "../../cmd/twiceproof").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return tool
}

// Interpreter is one below bin/, which this target of make puts there.
func Interpreter(t *testing.T, name, target string) string {
	t.Helper()
	path, err := filepath.Abs("../../bin/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: make %s", err, target)
	}
	return path
}

// Example replays one: new code ends each case as it is written in testdata/replays. Old code
// breaks at least those that are; whether it acknowledges before its effect or after decides
// some others, and no two runs agree. Update writes it.
func Example(t *testing.T, update bool, tool, example string, environment ...string) {
	t.Helper()
	got := replayed(t, tool, example, environment)
	path := filepath.Join("testdata", "replays", strings.ReplaceAll(example, "/", "-")+".txt")
	if update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(got, line) {
			t.Errorf("not found: %s", line)
		}
	}
	for line := range strings.Lines(got) {
		if !strings.HasPrefix(line, "old/") && !strings.Contains(string(text), line) {
			t.Errorf("found, and not written: %s", line)
		}
	}
}

// replayed is a line for each case: its verdict, or the kind of its violation, which of old code
// is all that counts.
func replayed(t *testing.T, tool, example string, environment []string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), tool, "replay", "../../examples/"+example, "--json", "--evidence", t.TempDir())
	command.Env = append(command.Environ(), environment...)
	var printed strings.Builder
	command.Stderr = &printed
	out, err := command.Output()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatalf("%v\n%s", err, printed.String())
	}
	var all struct {
		Results []struct{ Version, Case, Point, Verdict, Kind, Why string }
	}
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, r := range all.Results {
		found := r.Kind
		if found == "" {
			found = r.Verdict
		}
		if found != "ok" && found != "not_applicable" && r.Version != "old" {
			t.Logf("%s/%s/%s: %s: %s", r.Version, r.Case, r.Point, found, r.Why)
		}
		if r.Version == "old" && r.Kind == "" {
			continue
		}
		fmt.Fprintf(&lines, "%s %s\n", strings.TrimSuffix(r.Version+"/"+r.Case+"/"+r.Point, "/"), found)
	}
	return lines.String()
}
