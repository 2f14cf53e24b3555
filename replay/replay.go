package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
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
	// Rung is how much of every_step is done; empty is Durable.
	Rung Rung
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
	// Progress is told what goes on; it may be nil. It is called from one
	// goroutine at a time.
	Progress func(Progress)
}

// Progress is one thing worth showing while a replay runs.
type Progress struct {
	Building string   // a code version is being built
	Planned  *Planned // a case begins …
	Done     int      // … or has this many runs that count
	Of       int      // … of so many that were found by recording
	Result   *Result  // … or has ended
}

// Kept is what a case leaves: what was seen, and what its workers printed, both
// without the secrets that are known to the replay.
type Kept struct {
	Planned Planned
	Events  []Event // empty where the case does not apply
	Log     string
	Result  *Result // nil when the case did not come to its end
}

// Outcome is everything a replay found.
type Outcome struct {
	Plan      Plan
	Results   []Result
	Histories map[string][]Event // by "version/case", or "version/case/point"
	CannotSee []string
	Platform  map[string]string
}

// MakePlan lays out what a replay will do; it starts nothing.
func MakePlan(r Request) (Plan, error) {
	p := NewPlan(r.Job, r.PolicyText, r.Spec, cmp.Or(r.Rung, Durable))
	cases, err := only(p.Cases, r.Only)
	p.Cases = cases
	return p, err
}

// Run replays the plan. An error means that the replay could not be done, such as
// a worker that does not start; what a case found is never an error. Everything
// that was started has ended when Run returns.
func Run(ctx context.Context, r Request, plan Plan) (out Outcome, err error) {
	if err := CheckSafe(r); err != nil {
		return Outcome{}, err
	}
	folder, err := makeFolder()
	if err != nil {
		return Outcome{}, &Problem{What: "no temporary folder can be made: " + err.Error(), Hint: "set TMPDIR to a folder that can be written to"}
	}
	defer func() { _ = os.RemoveAll(folder) }() // what is left in it is nobody's
	r.Rung = plan.Rung                          // what is permitted was written for that one
	l := &lab{Request: r, folder: folder, out: filepath.Join(folder, "out"), secrets: newSecrets(r.Environ, r.Spec.Set)}
	defer l.close()
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
		Plan: plan, Histories: map[string][]Event{},
		CannotSee: l.cannotSee(), Platform: l.platform(),
	}
	for _, p := range plan.Cases {
		if err := l.runCase(ctx, p, &out); err != nil {
			return Outcome{}, err
		}
	}
	maps.Copy(out.Platform, l.versions)
	return out, nil
}

func (l *lab) runCase(ctx context.Context, p Planned, out *Outcome) error {
	l.progress(Progress{Planned: &p})
	name := p.Version + "/" + p.Label()
	kept := Kept{Planned: p}
	if p.NotApplicable == "" {
		w, err := l.play(ctx, p)
		if w != nil { // judged is what is stored, so that it can be judged again
			kept.Events, kept.Log = l.secrets.hideIn(w.history.all()), l.secrets.hide(w.logs())
		}
		if err != nil {
			return errors.Join(err, l.keep(kept))
		}
		out.Histories[name] = kept.Events
	}
	result := NewResult(p, kept.Events)
	result.Rerun = l.Rerun(p.Version, onlyName(l.Job.Queue, p))
	out.Results = append(out.Results, result)
	l.progress(Progress{Result: &result})
	kept.Result = &result
	return l.keep(kept)
}

// play runs a case's script in a world of its own, which has ended when it returns.
// A world whose script did not come to its end is handed back beside the error.
func (l *lab) play(ctx context.Context, p Planned) (*world, error) {
	w, err := l.newWorld(ctx, p)
	if err != nil {
		return nil, err
	}
	w.before = children() // with the case's own servers
	if err = theCase(p).script(ctx, w); err == nil {
		err = w.watch(ctx)
	}
	w.close()
	w.endLeft()
	if err == nil && ctx.Err() == nil {
		return w, nil
	}
	w.history.add(Event{Event: EventUnfinished})
	if ctx.Err() != nil {
		return w, context.Cause(ctx)
	}
	return w, fmt.Errorf("%s/%s: %w", p.Version, p.Label(), err)
}

func (l *lab) keep(k Kept) error {
	if l.Keep == nil {
		return nil
	}
	return l.Keep(k)
}

func (l *lab) progress(p Progress) {
	if l.Progress != nil {
		l.Progress(p)
	}
}

// Problem is an error about the user's set-up, with what to do about it.
type Problem struct {
	What   string
	Hint   string
	Output string // the last lines that a command printed
}

func (p *Problem) Error() string { return p.What }
