package vectors

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/internal/golden"
)

// A scenario is to be read at a glance.
const longest = 25

func names(t *testing.T) []string {
	t.Helper()
	all, err := fs.Glob(Files, "*.txt")
	if err != nil || len(all) == 0 {
		t.Fatalf("%d files, %v", len(all), err)
	}
	return all
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := fs.ReadFile(Files, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestScenarios(t *testing.T) {
	seen := map[string]string{}
	for _, name := range names(t) {
		for _, one := range strings.Split("\n"+read(t, name), "\nscenario ")[1:] {
			title, steps, _ := strings.Cut(one, "\n")
			if other := seen[title]; other != "" && other == name {
				t.Errorf("%s: two scenarios %q", name, title)
			}
			seen[title] = name
			lines := 1
			for _, line := range strings.Split(steps, "\n") {
				if line != "" && line[0] != '#' {
					lines++
				}
			}
			if lines > longest || lines == 1 {
				t.Errorf("%s: %q has %d lines", name, title, lines)
			}
		}
	}
}

// TestChecksums keeps the list by which a copy of the files in another repository is
// compared with these.
func TestChecksums(t *testing.T) {
	const file = "SHA256SUMS"
	var sums strings.Builder
	for _, name := range names(t) {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256([]byte(read(t, name))), name)
	}
	golden.Check(t, file, []byte(sums.String()))
}
