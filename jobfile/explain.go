package jobfile

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/twiceproof/twiceproof/job"
)

// Explain puts what a stale claim leads to into plain words, one sentence a
// line, with the permitted counts of effects.
func Explain(j job.Job) string {
	if j.Effect.Kind == job.OwnRow {
		return lines(
			"The effect, the claim and the completion are one transaction: a worker that dies leaves none of them.",
			"Permitted: the effect 1 time, once the message is delivered again.",
		)
	}
	sentences := []string{fmt.Sprintf("A claim is good for %s; while it is, no other worker takes the operation over.", FormatDuration(j.Lease))}
	sentences = append(sentences, explainPolicy(j)...)
	if j.Stale.Policy == job.Lookup || j.Stale.Policy == job.Resend || j.Stale.Policy == job.AcceptDuplicate {
		sentences = append(sentences, fmt.Sprintf("After %s vanished while holding the claim, the operation is held for a person.",
			count(cmp.Or(j.Stale.MaxTakeovers, job.DefaultMaxTakeovers), "worker has", "workers have")))
	}
	return lines(sentences...)
}

func explainPolicy(j job.Job) []string {
	s := j.Stale
	switch s.Policy {
	case job.Lookup:
		return explainLookup(s)
	case job.Resend:
		return explainResend(j)
	case job.Hold:
		return []string{
			"When the claim is stale and the effect may be out, the operation is held: nobody acts until a person decides.",
			"Permitted: the effect 1 time; or held, with the effect 0 times or 1 time.",
		}
	case job.AcceptDuplicate:
		return []string{
			"When the claim is stale and the effect may be out, another worker acts once more; if that is in doubt too, the operation is held.",
			"Permitted: the effect 1 time or 2 times, never more; or held, with the effect 0 to 2 times.",
		}
	case job.AcceptMiss:
		return []string{
			"When the claim is stale and the effect may be out, the effect is taken as done, and recorded as assumed.",
			"Permitted: the effect 1 time; or 0 times, recorded as assumed.",
		}
	}
	return []string{"No policy is written for a stale claim."}
}

func explainLookup(s job.Stale) []string {
	return []string{
		fmt.Sprintf("When the claim is stale and the effect may be out, and %s more have passed for the service to show it, another worker looks the effect up.", FormatDuration(s.Settle)),
		"Found: the operation is completed. Absent: the worker acts. No clear answer: nobody acts, and it is looked up again later.",
		fmt.Sprintf("After %s without an answer the operation is held for a person.", count(cmp.Or(s.MaxLookups, job.DefaultMaxLookups), "look-up", "look-ups")),
		"Permitted: the effect 1 time; or held, with the effect 0 times or 1 time.",
	}
}

func explainResend(j job.Job) []string {
	return []string{
		"When the claim is stale and the effect may be out, another worker sends again with the same reference, and the service makes of both one effect.",
		fmt.Sprintf("That is done only while the service surely remembers the reference (%s, counted from the first claim); later the operation is held for a person.",
			FormatDuration(j.Stale.ReferenceWindow)),
		"Permitted: the effect 1 time; or held, with the effect 0 times or 1 time.",
	}
}

func lines(sentences ...string) string { return strings.Join(sentences, "\n") }

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
