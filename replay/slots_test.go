package replay

import (
	"testing"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay/judge"
)

func TestACaseThatNeedsItRunsAlone(t *testing.T) {
	l := &lab{}
	first, second := l.take(judge.Planned{}), l.take(judge.Planned{})
	first()
	if l.alone.TryLock() {
		t.Error("one could run alone beside another")
	}
	second()
	release := l.take(judge.Planned{Alone: "it races"})
	if l.alone.TryRLock() {
		t.Error("another could run beside one that runs alone")
	}
	release()
	l.take(judge.Planned{})()
}

// What is alone is so by its plan: the races, and what changes the server of all.
func TestWhatRunsAlone(t *testing.T) {
	for _, c := range []struct {
		database jobfile.DatabaseKind
		want     string
	}{
		{jobfile.Postgres, "concurrent"},
		{jobfile.MySQL, "concurrent young_claim/clocks_apart"},
	} {
		j := job.Job{Queue: job.SQS, Effect: job.Effect{Kind: job.Outside}, Stale: job.Stale{Policy: job.Lookup}}
		p := NewPlan(j, "", &jobfile.Replay{Versions: []jobfile.CodeVersion{{Name: "new", Guarded: true}}, Database: jobfile.Database{Kind: c.database}}, judge.Durable)
		got := ""
		for _, c := range p.Cases {
			if c.Alone != "" {
				got += " " + c.Label()
			}
		}
		if got != " "+c.want {
			t.Errorf("%s: alone are%s, want %s", c.database, got, c.want)
		}
	}
}
