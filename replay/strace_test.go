package replay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// One that ends without a word, as an own strace of the path may, was not too slow.
func TestAStraceThatEndsAtOnce(t *testing.T) {
	for text, want := range map[string]string{
		"#!/bin/sh\nexit 1\n":                            "strace ended at once",
		"#!/bin/sh\necho strace: no leave >&2\nexit 1\n": "(no leave)",
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "strace"), []byte(text), 0o700); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
		t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
		if why := whyNoStrace(t.Context()); !strings.Contains(why, want) {
			t.Errorf("%q: %s", text, why)
		}
	}
}
