package fit

import (
	"strconv"
	"time"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

// What stands in the job file where nobody knew: to be filled in.
const (
	unknownRun    = time.Minute
	unknownSettle = 30 * time.Second
	unknownWindow = 24 * time.Hour
)

// SuggestLease is three times the longest run, rounded up to what a person would
// write, and never below 30 s.
//
// Counter-examples to less: a run that is slow for once (a lock, a service that is
// slow) is then taken over while it is at work, which is the very repeat. To much
// more: after a worker has died, the operation waits for that long.
func SuggestLease(longestRun time.Duration) time.Duration {
	lease := max(3*longestRun, 30*time.Second)
	step := 10 * time.Second
	switch {
	case lease >= time.Hour:
		step = 5 * time.Minute
	case lease > 2*time.Minute:
		step = time.Minute
	}
	return lease + step - 1 - (lease+step-1)%step
}

// WhyLease says why a lease is as long as it is.
func WhyLease(longestRun, lease time.Duration) string {
	return "The longest normal run is " + jobfile.FormatDuration(longestRun) + "; " + jobfile.FormatDuration(lease) + " is " + times(lease, longestRun) +
		" that. Shorter, and a slow run would be taken over while it is at work; longer, and the operation of a worker that died would wait for longer."
}

// times says how often the run goes into the lease.
func times(lease, run time.Duration) string {
	switch n := lease / max(run, 1); {
	case lease%max(run, 1) == 0:
		return inNumber(int64(n))
	case n == 1:
		return "more than once"
	default:
		return "more than " + inNumber(int64(n))
	}
}

func inNumber(n int64) string {
	switch n {
	case 1:
		return "just as long as"
	case 2:
		return "twice"
	}
	return strconv.FormatInt(n, 10) + " times"
}

// Retention is how long a record should be kept, and why: longer than any delivery of
// its message may still come.
func Retention(queue job.Queue) (length time.Duration, why string) {
	const day = 24 * time.Hour
	switch queue {
	case job.Sidekiq:
		return 220 * day, "Sidekiq tries a job again for some 21 days, and its dead set keeps it for 180 more, from where it can be run again. A job that is scheduled further ahead needs that in addition."
	case job.RQ:
		return 400 * day, "RQ keeps a failed job for a year (failure_ttl), from where it can be put on again. A job that is scheduled further ahead needs that in addition."
	case job.Celery:
		return 45 * day, "Celery sets no end to how late a task may come: it is the longest countdown or ETA, the retries, and how long messages may stand on the broker, added up. Where that is more than 45 days, keep records for longer."
	}
	return 45 * day, "Amazon SQS keeps a message for at most 14 days, and a dead-letter queue for 14 more, from where it can be put back. A message that is enqueued with a delay, or kept elsewhere, needs that in addition."
}

func leaseOf(a Answers) time.Duration { return SuggestLease(longestRunOf(a)) }

func longestRunOf(a Answers) time.Duration { return durationOr(a["longest_run"], unknownRun) }

func durationOr(text string, unknown time.Duration) time.Duration {
	if d, what, _ := duration(text); text != "" && what == "" {
		return d
	}
	return unknown
}
