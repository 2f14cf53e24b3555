package processtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Blanks makes the folder of all that is temporary one with blanks in its name.
func Blanks(t *testing.T) {
	t.Helper()
	folder := filepath.Join(OpenTemp(t), "with blanks and ü")
	if err := os.Mkdir(folder, 0o755); err != nil { //nolint:gosec // as OpenTemp
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", folder)
}
