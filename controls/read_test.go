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
