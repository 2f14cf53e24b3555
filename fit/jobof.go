package fit

import (
	"cmp"

	"github.com/twiceproof/twiceproof/job"
)

// unknownName is the job's until it has one.
const unknownName = "job.to.name"

// jobOf is the job that the answers describe, and the fields of the job file that they
// left open.
func jobOf(a Answers) (j job.Job, open []string) {
	queue := job.Queue(a["queue"])
	retention, _ := Retention(queue)
	j = job.Job{
		Type: cmp.Or(a["job"], unknownName), Queue: queue, Message: a["message"],
		Operation:  job.Operation{Key: keyPaths(cmp.Or(a["key"], examplePath[queue])), Repeat: a["repeat"], Fingerprint: keyPaths(a["fingerprint"])},
		Effect:     job.Effect{Kind: job.EffectKind(a["effect"]), What: a["what"]},
		LongestRun: longestRunOf(a), Lease: leaseOf(a), Retention: retention, StoreMessage: true,
	}
	j.Stale = staleOf(a, j)
	for _, field := range []struct{ name, question string }{
		{"the job's name", "job"}, {"message", "message"}, {"operation.key", "key"}, {"operation.repeat", "repeat"}, {"effect.what", "what"}, {"longest_run", "longest_run"},
	} {
		if a[field.question] == "" {
			open = append(open, field.name)
		}
	}
	return j, append(open, openOfPolicy(a, j)...)
}

func staleOf(a Answers, j job.Job) job.Stale {
	switch {
	case j.Effect.Kind == job.OwnRow:
		return job.Stale{}
	case canLookUp(a):
		return job.Stale{Policy: job.Lookup, Settle: durationOr(a["settle"], unknownSettle)}
	case recognised(a):
		return job.Stale{Policy: job.Resend, ReferenceWindow: durationOr(a["reference_window"], max(unknownWindow, 2*j.Lease))}
	case a["policy"] == "undecided": // of the three the one that makes nothing worse
		return job.Stale{Policy: job.Hold}
	}
	return job.Stale{Policy: job.Policy(a["policy"])}
}

func openOfPolicy(a Answers, j job.Job) []string {
	switch {
	case j.Stale.Policy == job.Lookup && a["settle"] == "":
		return []string{"stale_claim.settle"}
	case j.Stale.Policy == job.Resend && a["reference_window"] == "":
		return []string{"stale_claim.reference_window"}
	case a["policy"] == "undecided":
		return []string{"stale_claim.policy"}
	}
	return nil
}
