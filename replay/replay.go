package replay

import (
	"cmp"
	"context"
	"maps"
	"os"
	"path/filepath"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/replay/process"
)

// Request is what to replay.
type Request struct {
	Spec *jobfile.Replay
	Job  job.Job
	// Table is the name of the record's table.
	Table string
	// JobFileText is the job file that the workers are told to read. They get a
	// copy, so that they run under the policy that the plan was made from.
	JobFileText []byte
	// PolicyText is the policy in plain words, for the plan.
	PolicyText string
	// Only names the cases to run, as case or version/case; empty means all.
	Only []string
	// Slots is how many cases run side by side, each in a world of its own; 0 is 1.
	Slots int
	// Rung is how much of every_step is done; empty is Durable.
	Rung judge.Rung
	// Fast has workers forked from an interpreter that has loaded their libraries, where
	// that can be.
	Fast bool
	// Environ is the environment that the workers inherit, as in os.Environ.
	Environ []string
	// Rerun makes the command that reruns one case.
	Rerun func(version, name string) string
	// Prepared is called once, when everything is there that the cases need: before it
	// nothing has been replayed, after it the first worker starts. An error of it ends
	// the replay. It may be nil.
	Prepared func() error
	// Keep is handed what each case leaves, as soon as it has ended, also of one that
	// did not come to its end. An error of it ends the replay. It may be nil.
	Keep func(Kept) error
	// Progress is told what goes on; it may be nil. It and Keep are called from one
	// goroutine at a time.
	Progress func(Progress)
}

// Progress is one thing worth showing while a replay runs.
type Progress struct {
	Building string         // a code version is being built
	Note     string         // a sentence that is to be read
	Planned  *judge.Planned // a case begins …
	Done     int            // … or has this many runs that count
	Of       int            // … of so many that were found by recording …
	AtMost   bool           // … or fewer
	Result   *judge.Result  // … or has ended
}

// Kept is what a case leaves: what was seen, and what its workers printed, both
// without the secrets that are known to the replay.
type Kept struct {
	Planned judge.Planned
	Events  []judge.Event // empty where the case does not apply
	Log     string
	Result  *judge.Result // nil when the case did not come to its end
}

// Outcome is everything a replay found.
type Outcome struct {
	Plan      judge.Plan
	Results   []judge.Result
	Histories map[string][]judge.Event // by "version/case", or "version/case/point"
	CannotSee []string
	Platform  map[string]string
}

// MakePlan lays out what a replay will do; it starts nothing.
func MakePlan(r Request) (judge.Plan, error) {
	if err := r.checkOutside(); err != nil {
		return judge.Plan{}, err
	}
	p := NewPlan(r.Job, r.PolicyText, r.Spec, cmp.Or(r.Rung, judge.Durable))
	p.Table, p.Fast = r.Table, r.Fast
	cases, err := only(p.Cases, r.Only)
	p.Cases = cases
	return p, err
}

// Run replays the plan. An error means that the replay could not be done, such as
// a worker that does not start; what a case found is never an error. Everything
// that was started has ended when Run returns.
func Run(ctx context.Context, r Request, plan judge.Plan) (out Outcome, err error) {
	if err := CheckSafe(r); err != nil {
		return Outcome{}, err
	}
	folder, err := makeFolder()
	if err != nil {
		return Outcome{}, &hinted.Error{What: "no temporary folder can be made: " + err.Error(), Hint: "set TMPDIR to a folder that can be written to"}
	}
	defer func() { _ = os.RemoveAll(folder) }() // what is left in it is nobody's
	r.Rung = plan.Rung                          // what is permitted was written for that one
	l := &lab{Request: r, folder: folder, out: filepath.Join(folder, "out"), secrets: newSecrets(r.Environ, r.Spec.Set)}
	if r.Fast {
		l.forks = l.newForks()
	}
	before := process.Children()
	defer func() {
		if left := l.end(before); left != nil && err == nil {
			out, err = Outcome{}, left
		}
	}()
	defer func() { l.secrets.hideInProblem(err) }()
	if err := l.prepare(ctx, plan); err != nil {
		return Outcome{}, err
	}
	if r.Prepared != nil {
		if err := r.Prepared(); err != nil {
			return Outcome{}, err
		}
	}
	out = Outcome{
		Plan: plan, Histories: map[string][]judge.Event{},
		CannotSee: l.cannotSee(), Platform: l.platform(),
	}
	if err := l.runAll(ctx, plan.InRunOrder(), &out); err != nil {
		return Outcome{}, err
	}
	out.Results = plan.InOrder(out.Results)
	maps.Copy(out.Platform, l.versions)
	maps.Copy(out.Platform, l.forks.texts(plan, l.Spec))
	return out, nil
}
