package report

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// The results name the plan and the histories that are theirs; what is changed, gone, or
// elsewhere is told.
func TestAltered(t *testing.T) {
	e := Evidence{Folder: t.TempDir()}
	noError(t, e.Start(planOf("new/sequential", "new/shutdown")))
	noError(t, e.WriteCase(seenOnce("new", "sequential")))
	r := fixed()
	r.Results = []judge.Result{{Version: "new", Case: "sequential"}, {Version: "new", Case: "shutdown"}} // which does not apply
	r.Files = e.Digests(r)
	noError(t, e.WriteReports(r, nil))
	stored, err := e.ReadResults()
	noError(t, err)
	const history = "histories/new-sequential.jsonl"
	if len(stored.Files) != 2 || stored.Files["plan.json"] == "" || stored.Files[history] == "" {
		t.Fatalf("%v", stored.Files)
	}
	if altered := e.Altered(stored); len(altered) > 0 {
		t.Errorf("as it was left, and yet %q", altered)
	}
	noError(t, os.WriteFile(filepath.Join(e.Folder, history), []byte("{}\n"), 0o600))
	stored.Files["../elsewhere"] = ""
	if altered := e.Altered(stored); !slices.Equal(altered, []string{"../elsewhere", history}) {
		t.Errorf("%q", altered)
	}
	noError(t, os.Remove(filepath.Join(e.Folder, "plan.json")))
	if altered := e.Altered(stored); !slices.Contains(altered, "plan.json") {
		t.Errorf("%q", altered)
	}
}
