package rq

import (
	"os"
	"os/exec"
	"testing"

	"github.com/twiceproof/twiceproof/internal/testreplay"
)

// TestReplayOfAGuardedJob: what is guarded stands every case, so that what is found of other
// jobs is not the replay's own doing.
func TestReplayOfAGuardedJob(t *testing.T) {
	arguments := []string{"replay", "testdata/guarded", "--evidence", t.TempDir()}
	if os.Getenv("TWICEPROOF_FULL") == "" { // two of them, in a few seconds
		for _, c := range []string{"killed_after_effect/", "killed_after_effect/child"} {
			arguments = append(arguments, "--only", c)
		}
	}
	command := exec.CommandContext(t.Context(), testreplay.Tool(t), arguments...)
	command.Env = append(os.Environ(), "RQ="+testreplay.Interpreter(t, "python/bin/rq", "bin/python"))
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
