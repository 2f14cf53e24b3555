package repeats_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// mostMemory is what the command may take, however long the export is.
const mostMemory = 300 << 20

// TestTenMillionRows has the command itself read 1 GB.
func TestTenMillionRows(t *testing.T) {
	if os.Getenv("TWICEPROOF_FULL") == "" {
		t.Skip("with TWICEPROOF_FULL=1 only: it writes and reads 1 GB")
	}
	path, want, _ := export(t)
	command := filepath.Join(t.TempDir(), "twiceproof")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", command, "../cmd/twiceproof").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := exec.CommandContext(t.Context(), command, "repeats", "--csv", path, "--reference", "reference", "--time", "created_at", "--fingerprint", "amount", "--json")
	out, err := c.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Fatalf("%v, want exit status 1", err)
	}
	var r struct {
		Repeats int
		Sources []struct{ Events int }
	}
	if err := json.Unmarshal(out, &r); err != nil || r.Repeats != want || r.Sources[0].Events != benchRows() {
		t.Errorf("%d repeats of %+v, want %d of %d: %v", r.Repeats, r.Sources, want, benchRows(), err)
	}
	used := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	t.Logf("it took %v and %d MB", c.ProcessState.UserTime()+c.ProcessState.SystemTime(), used>>20)
	if used > mostMemory {
		t.Errorf("it took %d MB", used>>20)
	}
}
