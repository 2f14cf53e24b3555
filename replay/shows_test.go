package replay

import (
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

// Nobody sees anything of an own row before its COMMIT.
func TestAnOwnRowShowsNothingBeforeItsCommit(t *testing.T) {
	j := job.Job{Effect: job.Effect{Kind: job.OwnRow}}
	for name, want := range map[string]string{"killed_after_effect": "", "killed_after_claim": "no effect", "killed_after_completion": "effect completion"} {
		p := planCase(setting{job: j, database: jobfile.Postgres, guarded: true}, caseOf(name), Version{Name: "new", Guarded: true}, 1)
		var facts []string
		for _, f := range p.Shows {
			facts = append(facts, string(f))
		}
		if got := strings.Join(facts, " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
