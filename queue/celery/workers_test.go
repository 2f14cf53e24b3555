package celery

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the replays of the examples found")

// TestReplaysOfTheExamples: of each broker every case, by workers of the newest Celery and of
// Debian's 5.2. What is found is the same.
func TestReplaysOfTheExamples(t *testing.T) {
	if os.Getenv("TWICEPROOF_FULL") == "" {
		t.Skip("it takes an hour; TWICEPROOF_FULL=1 runs it")
	}
	tool := filepath.Join(t.TempDir(), "twiceproof")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", tool, "../../cmd/twiceproof").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	common := []string{"celery-charge", "celery-charge/rabbitmq", "celery-charge/sqs", "celery-mail"}
	for environment, examples := range map[string][]string{
		"python":        append(common, "celery-charge-row"),
		"debian-python": common, // whose SQLAlchemy is too old for the other one
	} {
		python, err := filepath.Abs("../../bin/" + environment + "/bin/python")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(python); err != nil {
			t.Fatalf("%v: make celery", err)
		}
		for _, example := range examples {
			t.Run(environment+"/"+example, func(t *testing.T) { compare(t, example, replayed(t, tool, python, example)) })
		}
	}
}

// replayed is a line for each case: its verdict, or the kind of its violation, which of old code
// is all that counts.
func replayed(t *testing.T, tool, python, example string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), tool, "replay", "../../examples/"+example, "--json", "--evidence", t.TempDir())
	command.Env = append(os.Environ(), "PYTHON="+python)
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

// compare: new code ends each case as it is written. Old code breaks at least those that are;
// whether it acknowledges before its effect or after decides some others, and no two runs agree.
func compare(t *testing.T, example, got string) {
	t.Helper()
	golden := filepath.Join("testdata", "replays", strings.ReplaceAll(example, "/", "-")+".txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(golden)
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
