package doctor

import (
	"slices"
	"time"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

func (e *exam) sqs(q SQS, j job.Job) {
	e.missing(q.Missing)
	if q.Visibility < j.LongestRun {
		e.add("sqs.visibility", q.Name, "VisibilityTimeout is %s, and %s runs for up to %s", jobfile.FormatDuration(q.Visibility), j.Type, jobfile.FormatDuration(j.LongestRun))
	}
	need := deliveries(j, j.Queue == job.SQS) // Celery puts a copy back
	if q.MaxReceives > 0 && q.MaxReceives < need {
		e.add("sqs.max_receive", q.Name, "maxReceiveCount is %d, and %s may need %d", q.MaxReceives, j.Type, need)
	}
	if last := j.StoredLease() * time.Duration(1+vanishings(j)); q.Retention < last {
		e.add("sqs.retention", q.Name, "MessageRetentionPeriod is %s, and the policy of %s may take %s",
			jobfile.FormatDuration(q.Retention), j.Type, jobfile.FormatDuration(last))
	}
	if q.DeadLetters != nil && q.DeadLetters.Retention <= q.Retention {
		e.add("sqs.dead_letter_retention", q.DeadLetters.Name, "it keeps messages for %s, and %s for %s",
			jobfile.FormatDuration(q.DeadLetters.Retention), q.Name, jobfile.FormatDuration(q.Retention))
	}
	inAttributes := slices.ContainsFunc(j.Operation.Key, func(p job.Path) bool { return p.Root() == "attributes" })
	if q.FIFO && q.ContentDedup && inAttributes {
		e.add("sqs.content_dedup", q.Name, "ContentBasedDeduplication is on, and the key of %s names an attribute", j.Type)
	}
}

// deliveries is how many a message may need until the policy has come to its end: the
// first, one for each worker that may vanish, each with one before it that meets the
// dead one's claim and is put back, and one for each look-up without an answer.
func deliveries(j job.Job, putBack bool) int {
	n := 1 + vanishings(j)
	if putBack {
		n += vanishings(j)
	}
	if j.Effect.Kind == job.Outside && j.Stale.Policy == job.Lookup {
		n += orDefault(j.Stale.MaxLookups, job.DefaultMaxLookups)
	}
	return n
}

// vanishings is how many workers may vanish with one operation before its policy ends.
func vanishings(j job.Job) int {
	switch {
	case j.Effect.Kind == job.OwnRow, j.Stale.Policy == job.Hold, j.Stale.Policy == job.AcceptMiss:
		return 1
	case j.Stale.Policy == job.AcceptDuplicate:
		return 2
	}
	return orDefault(j.Stale.MaxTakeovers, job.DefaultMaxTakeovers)
}

func orDefault(n, normal int) int {
	if n == 0 {
		return normal
	}
	return n
}
