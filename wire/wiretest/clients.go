package wiretest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Python is the project's own, where that is made. Without the library the test is skipped.
func Python(t testing.TB, library string) string {
	t.Helper()
	own, err := filepath.Abs("../../bin/python/bin/python")
	if err == nil {
		_, err = os.Stat(own)
	}
	if err != nil {
		own = "python3"
	}
	Needs(t, own, "-c", "import "+library)
	return own
}

// Ruby is the installed one. Without the library the test is skipped.
func Ruby(t testing.TB, library string) string {
	t.Helper()
	Needs(t, "ruby", "-e", "require '"+library+"'")
	return "ruby"
}

// Needs skips the test where a command fails.
func Needs(t testing.TB, command string, args ...string) {
	t.Helper()
	if err := exec.CommandContext(t.Context(), command, args...).Run(); err != nil {
		t.Skipf("%s %q: %v", command, args, err)
	}
}
