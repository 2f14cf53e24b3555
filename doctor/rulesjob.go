package doctor

import (
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

// job judges a job by itself, and everything that depends on it.
func (e *exam) job(j job.Job, f Facts) {
	if j.Lease < j.LongestRun+j.LongestRun/4 {
		e.add("job.lease", j.Type, "the lease is %s, and longest_run %s", jobfile.FormatDuration(j.Lease), jobfile.FormatDuration(j.LongestRun))
	}
	for _, path := range j.Operation.Key {
		if isVolatile(path) {
			e.add("job.key_volatile", j.Type, "it names %s", path)
		}
	}
	if !j.StoreMessage && j.Effect.Kind == job.Outside {
		e.add("job.message_not_stored", j.Type, "store_message is false")
	}
	if f.SQS != nil && (j.Queue == job.SQS || j.Queue == job.Celery) { // it may be Celery's broker
		e.sqs(*f.SQS, j)
	}
	if j.Queue == job.Celery && f.RabbitMQ != nil {
		e.rabbitFor(*f.RabbitMQ, j)
	}
	if j.Queue == job.Celery && f.Celery != nil {
		e.celeryTask(*f.Celery, j)
	}
	if j.Queue == job.Sidekiq && f.Sidekiq != nil {
		e.sidekiqWorker(*f.Sidekiq, j)
	}
	e.retention(j, f)
}

func (e *exam) retention(j job.Job, f Facts) {
	if j.Retention == 0 {
		e.add("job.retention", j.Type, "the job file has no retention")
		return
	}
	if longest, of := horizon(j, f); j.Retention < longest {
		e.add("job.retention_short", j.Type, "the retention is %s, and a delivery may come after %s: %s",
			jobfile.FormatDuration(j.Retention), jobfile.FormatDuration(longest), of)
	}
}

const day = 24 * time.Hour

// horizon is how long after the first delivery another one may come, and what that is
// made of. What was not read counts as the longest that there is.
func horizon(j job.Job, f Facts) (longest time.Duration, of string) {
	switch {
	case j.Queue == job.SQS, j.Queue == job.Celery && (f.SQS != nil || f.Celery != nil && f.Celery.Broker == "sqs"):
		return sqsHorizon(f.SQS)
	case j.Queue == job.Sidekiq:
		return sidekiqHorizon(f.Sidekiq, j)
	case j.Queue == job.RQ:
		return 365 * day, "RQ keeps a failed job for a year, unless its failure_ttl says otherwise"
	}
	return 0, "" // Redis and RabbitMQ keep a message for as long as it takes
}

func sqsHorizon(q *SQS) (time.Duration, string) {
	if q == nil {
		return 28 * day, "Amazon SQS keeps a message for up to 14 days, and a dead letter for 14 more"
	}
	parts := []string{"the queue keeps it for " + jobfile.FormatDuration(q.Retention)}
	longest := q.Retention
	if q.Delay > 0 {
		longest += q.Delay
		parts = append(parts, "it is delayed by "+jobfile.FormatDuration(q.Delay))
	}
	if q.DeadLetters != nil {
		longest += q.DeadLetters.Retention
		parts = append(parts, "the dead-letter queue for "+jobfile.FormatDuration(q.DeadLetters.Retention))
	}
	return longest, strings.Join(parts, ", ")
}

// sidekiqHorizon: retry n comes n⁴ + 15 seconds later, and up to 10·(n+1) more; then a
// job waits in the dead set for somebody who runs it again.
func sidekiqHorizon(s *Sidekiq, j job.Job) (time.Duration, string) {
	retries, dead := 25, 180*day
	if s != nil {
		if w, is := s.Workers[j.Message]; is {
			retries = w.Retry
			if !w.Dead || w.Retry == 0 {
				dead = 0
			}
		}
		if s.DeadFor > 0 && dead > 0 {
			dead = time.Duration(s.DeadFor) * time.Second
		}
	}
	var all time.Duration
	for n := range retries {
		all += time.Duration(n*n*n*n+15+10*(n+1)) * time.Second
	}
	of := "its retries take " + jobfile.FormatDuration(all)
	if dead > 0 {
		of += ", and the dead set keeps it for " + jobfile.FormatDuration(dead)
	}
	return all + dead, of
}
