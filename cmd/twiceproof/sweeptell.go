package main

import (
	"fmt"
	"io"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/jobfile"
)

const sweepSchema = "twiceproof.sweep/1"

// sweepResult is what the command tells.
type sweepResult struct {
	Job      string
	Policy   string
	Applied  bool
	Complete bool
	twiceproof.SweepReport
	Actions []sweptJSON

	firstError string
}

type sweptJSON struct {
	Action  string `json:"action"`
	Reason  string `json:"reason"`
	StaleMS int64  `json:"stale_ms"`
	AgeMS   int64  `json:"age_ms"`
	Done    bool   `json:"done"`
	Error   string `json:"error,omitempty"`
	Key     string `json:"key,omitempty"`
}

func (r *sweepResult) add(s twiceproof.Swept, showKeys bool) {
	a := sweptJSON{Action: s.Action, Reason: s.Reason, StaleMS: s.Stale.Milliseconds(), AgeMS: s.Age.Milliseconds(), Done: s.Done}
	if s.Err != nil {
		a.Error = s.Err.Error()
		if r.firstError == "" {
			r.firstError = a.Error
		}
	}
	if showKeys {
		a.Key = s.Key
	}
	r.Actions = append(r.Actions, a)
}

func (r sweepResult) failedHint(showKeys bool) string {
	if showKeys {
		return "run it again: a message that was not put back is due again after a lease"
	}
	return "--show-keys shows which; run it again: a message that was not put back is due again after a lease"
}

// sweepJSON is described in the command's help.
type sweepJSON struct {
	Schema   string      `json:"schema"`
	Job      string      `json:"job"`
	Policy   string      `json:"policy"`
	Applied  bool        `json:"applied"`
	Complete bool        `json:"complete"`
	PutBack  int         `json:"put_back"`
	Held     int         `json:"held"`
	Assumed  int         `json:"assumed"`
	Failed   int         `json:"failed"`
	Waiting  int         `json:"waiting"`
	Moved    int         `json:"moved"`
	Actions  []sweptJSON `json:"actions"`
}

func (r sweepResult) json() sweepJSON {
	return sweepJSON{sweepSchema, r.Job, r.Policy, r.Applied, r.Complete, r.PutBack, r.Held, r.Assumed, r.Failed, r.Waiting, r.Moved, r.Actions}
}

// writeText counts; a key is shown only when asked for.
func (r sweepResult) writeText(out io.Writer, showKeys bool) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	switch {
	case len(r.Actions) == 0:
		fmt.Fprintf(t, "%s: nothing to do\n", r.Job)
	case r.Applied:
		fmt.Fprintf(t, "%s: %d done\n", r.Job, len(r.Actions)-r.Failed)
	default:
		fmt.Fprintf(t, "%s: %d to do; nothing was changed\n", r.Job, len(r.Actions))
	}
	for _, g := range r.groups() {
		fmt.Fprintf(t, "  %d\t%s\t%s\tstale for up to %s\n", g.n, g.what, g.reason, shortly(g.longest))
	}
	if r.Waiting > 0 {
		fmt.Fprintf(t, "  %d\twaiting\tthe message may still come back by itself\n", r.Waiting)
	}
	if r.Moved > 0 {
		fmt.Fprintf(t, "  %d\tmoved\tsomebody else acted in the same moment\n", r.Moved)
	}
	if showKeys {
		for _, a := range r.Actions {
			fmt.Fprintf(t, "%s\t%s\tstale for %s\t%q\n", a.what(), a.Reason, shortly(a.StaleMS), a.Key)
		}
	}
	return t.Flush()
}

func (a sweptJSON) what() string {
	if a.Error != "" {
		return a.Action + " failed"
	}
	return a.Action
}

func shortly(ms int64) string {
	return jobfile.FormatDuration((time.Duration(ms) * time.Millisecond).Truncate(time.Second))
}

type sweepGroup struct {
	what, reason string
	n            int
	longest      int64
}

// groups are in the order in which their first one came.
func (r sweepResult) groups() (all []*sweepGroup) {
	known := map[[2]string]*sweepGroup{}
	for _, a := range r.Actions {
		id := [2]string{a.what(), a.Reason}
		if known[id] == nil {
			known[id] = &sweepGroup{what: id[0], reason: id[1]}
			all = append(all, known[id])
		}
		known[id].n++
		known[id].longest = max(known[id].longest, a.StaleMS)
	}
	return all
}

// sweepProgress says now and then how far a long sweep is.
type sweepProgress struct {
	w io.Writer

	mu sync.Mutex
	n  int
}

func (p *sweepProgress) add() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
}

func (p *sweepProgress) start(every time.Duration) (stop func()) {
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				p.mu.Lock()
				fmt.Fprintf(p.w, "sweeping, %d stale claims so far\n", p.n)
				p.mu.Unlock()
			}
		}
	})
	return func() { close(done); running.Wait() }
}
