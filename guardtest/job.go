package guardtest

import (
	"fmt"
	"strconv"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// setJob is the job from here on; a worker that is under way keeps the one it has.
func (w *world) setJob(l line) (err error) {
	j := job.Job{
		Type: w.jobType, Queue: job.SQS, Message: "orders",
		Operation:    job.Operation{Key: []job.Path{job.MustParsePath("body.order")}, Repeat: "the order is charged twice"},
		Effect:       job.Effect{Kind: job.EffectKind(l.option("effect", "outside")), What: "a charge"},
		Stale:        job.Stale{Policy: job.Policy(l.option("policy", ""))},
		StoreMessage: l.option("store_message", "on") == "on",
	}
	if l.option("fingerprint", "amount") == "amount" {
		j.Operation.Fingerprint = []job.Path{job.MustParsePath("body.amount")}
	}
	for _, d := range []struct {
		option, otherwise string
		to                *time.Duration
	}{{"lease", "60s", &j.Lease}, {"settle", "0s", &j.Stale.Settle}, {"reference_window", "0s", &j.Stale.ReferenceWindow}} {
		if *d.to, err = time.ParseDuration(l.option(d.option, d.otherwise)); err != nil {
			return err
		}
	}
	j.LongestRun = j.Lease / 2
	if j.Stale.MaxTakeovers, err = l.number("max_takeovers", 0); err != nil {
		return err
	}
	if j.Stale.MaxLookups, err = l.number("max_lookups", 0); err != nil {
		return err
	}
	w.job = j
	return j.Validate()
}

func (l line) option(name, otherwise string) string {
	if value, ok := l.options[name]; ok {
		return value
	}
	return otherwise
}

func (l line) number(name string, otherwise int) (int, error) {
	n, err := strconv.Atoi(l.option(name, strconv.Itoa(otherwise)))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return n, nil
}

// order is the operation key that a line is about.
func (l line) order() string { return l.option("order", "1") }

// duration reads the only word of a line.
func (l line) duration() (time.Duration, error) {
	if len(l.words) != 1 {
		return 0, fmt.Errorf("want one duration, got %q", l.words)
	}
	return time.ParseDuration(l.words[0])
}
