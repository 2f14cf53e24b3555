package controls_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sound = `# What is wrong.
case: sequential
kind: duplicate
also: old_claim lost, likewise
file: run.go
-- old --
a
-- new --
b
`

// The telling case is the first that is named; --only runs it without its points.
func TestNarrowed(t *testing.T) {
	for from, want := range map[string]string{
		"case: sequential":                     "sequential/",
		"case: old_claim/two_at_once, keyless": "old_claim/two_at_once",
		"case: young_claim\ncase: sequential":  "young_claim/",
	} {
		path := filepath.Join(t.TempDir(), "a.txt")
		if err := os.WriteFile(path, []byte(strings.Replace(sound, "case: sequential", from, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		c, err := readControl(path)
		if c = c.narrowed(); err != nil || c.only != want || len(c.finds) != 1 || c.finds[c.telling] != "duplicate" {
			t.Errorf("%s: %s, %v, %v", from, c.only, c.finds, err)
		}
	}
}

// A control that is not understood must not pass for one that was caught.
func TestReadControl(t *testing.T) {
	for name, c := range map[string]struct{ from, to, want string }{
		"sound":           {"", "", ""},
		"no comment":      {"# What is wrong.\n", "", "what is wrong"},
		"unknown line":    {"kind:", "sort:", "not known"},
		"unknown case":    {"sequential", "sequentiel", "no case"},
		"no such point":   {"case: sequential", "case: unknown_outcome", "no case"},
		"may, no reason":  {"also: old_claim lost, likewise", "may: old_claim lost", "no reason"},
		"no kind":         {"kind: duplicate\n", "", "no kind"},
		"also, no reason": {", likewise", "", "no reason"},
		"unknown rung":    {"file:", "rung: pairs\nfile:", "no rung"},
		"no change":       {"\nb\n", "\na\n", "changes nothing"},
		"waits, and is":   {"case: sequential\nkind: duplicate", "waits: sequential, say", "shows it"},
	} {
		path := filepath.Join(t.TempDir(), "a.txt")
		if err := os.WriteFile(path, []byte(strings.Replace(sound, c.from, c.to, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		got := ""
		if _, err := readControl(path); err != nil {
			got = err.Error()
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
