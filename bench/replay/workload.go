package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// workload is one example, and those of its cases that are run; none: all of the new code.
type workload struct {
	example string
	only    []string
	fast    bool // workers are forked
}

const (
	races = "new/concurrent"
	steps = "new/" + judge.EveryStep
)

func workloads(small bool) []workload {
	if small {
		return []workload{
			{example: "sqs-charge", only: []string{"new/killed_after_effect"}}, {example: "sidekiq-charge", only: []string{"new/killed_after_effect"}},
			{example: "sidekiq-charge", only: []string{"new/killed_after_effect"}, fast: true},
		}
	}
	return []workload{
		{example: "sqs-charge"},
		{example: "sidekiq-charge"}, {example: "sidekiq-charge", only: []string{steps}, fast: true},
		{example: "celery-charge"}, {example: "celery-charge", only: []string{steps}, fast: true},
	}
}

// took is how long one case took, and of that its workers until they were ready. The
// processors' time is what would be left on a machine that has enough of them.
type took struct {
	name        string
	whole, boot time.Duration
	processors  time.Duration
	runs        int
	cold, fast  []time.Duration // the start of each worker, by how it was started
	own         time.Duration   // what the workers did by themselves
}

func (t took) overhead() time.Duration { return t.whole - t.boot }

// run replays the example. A case that is not ok is no measure of anything.
func (w workload) run(ctx context.Context) (all []took, err error) {
	request, err := w.request()
	if err != nil {
		return nil, err
	}
	plan, err := replay.MakePlan(request)
	if err != nil {
		return nil, err
	}
	plan.Cases = slices.DeleteFunc(plan.Cases, func(p judge.Planned) bool { return p.Version != "new" })
	var last time.Time
	var used time.Duration
	request.Prepared = func() error { last, used = time.Now(), processors(); return nil }
	request.Keep = func(k replay.Kept) error {
		t := took{name: k.Planned.Name(), whole: time.Since(last), processors: processors() - used, own: ownWork(k.Events)}
		t.starts(k.Events)
		last, used = time.Now(), processors()
		if k.Planned.NotApplicable != "" || k.Result == nil {
			return nil
		}
		t.runs = k.Result.Runs
		all = append(all, t)
		if k.Result.Verdict.Verdict != judge.OK {
			return fmt.Errorf("%s: %s: %s", t.name, k.Result.Verdict.Verdict, k.Result.Why)
		}
		fmt.Fprintf(os.Stderr, "%s: %s, %s of it the workers' start\n", t.name, t.whole.Round(time.Millisecond), t.boot.Round(time.Millisecond))
		return nil
	}
	_, err = replay.Run(ctx, request, plan)
	if p := (*hinted.Error)(nil); errors.As(err, &p) {
		return nil, fmt.Errorf("%w\nhint: %s\n%s", err, p.Hint, p.Output)
	}
	return all, err
}

// starts takes in what the history says of each worker's start.
func (t *took) starts(events []judge.Event) {
	for _, e := range events {
		if e.Event != judge.EventWorker || e.What != "ready" {
			continue
		}
		start := time.Duration(e.ForMS) * time.Millisecond
		if t.boot += start; e.Detail == "" {
			t.cold = append(t.cold, start)
		} else {
			t.fast = append(t.fast, start)
		}
	}
}

func (w workload) request() (r replay.Request, err error) {
	folder := filepath.Join("examples", w.example)
	if r.Spec, err = jobfile.LoadReplay(filepath.Join(folder, jobfile.DefaultReplayName)); err != nil {
		return r, err
	}
	file, err := jobfile.Load(r.Spec.JobFilePath())
	if err != nil {
		return r, err
	}
	if r.JobFileText, err = os.ReadFile(r.Spec.JobFilePath()); err != nil {
		return r, err
	}
	r.Table, r.Environ, r.Only, r.Fast = file.Table, environ(), w.only, w.fast
	r.Rerun = func(string, string) string { return "" }
	r.Job, err = r.Spec.JobOf(file)
	return r, err
}

// environ has the Python in it that has Celery.
func environ() []string {
	python, err := filepath.Abs("bin/python/bin/python")
	if _, missing := os.Stat(python); err != nil || missing != nil {
		return os.Environ()
	}
	return append(os.Environ(), "PYTHON="+python)
}
