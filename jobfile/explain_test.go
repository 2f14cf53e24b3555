package jobfile

import (
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/internal/golden"
	"github.com/twiceproof/twiceproof/job"
)

func TestExplain(t *testing.T) {
	text := ""
	for _, c := range []struct {
		name  string
		kind  job.EffectKind
		stale job.Stale
	}{
		{"own row", job.OwnRow, job.Stale{}},
		{"lookup", job.Outside, job.Stale{Policy: job.Lookup, Settle: 30 * time.Second, MaxTakeovers: 3, MaxLookups: 1}},
		{"resend", job.Outside, job.Stale{Policy: job.Resend, ReferenceWindow: 24 * time.Hour}},
		{"hold", job.Outside, job.Stale{Policy: job.Hold}},
		{"accept_duplicate", job.Outside, job.Stale{Policy: job.AcceptDuplicate, MaxTakeovers: 1}},
		{"accept_miss", job.Outside, job.Stale{Policy: job.AcceptMiss}},
		{"none", job.Outside, job.Stale{}},
	} {
		text += c.name + ":\n" + Explain(job.Job{Effect: job.Effect{Kind: c.kind}, Lease: 2 * time.Minute, Stale: c.stale}) + "\n\n"
	}
	golden.Check(t, "testdata/explain.txt", []byte(text))
}
