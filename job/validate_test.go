package job

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func outsideJob() Job {
	return Job{
		Type: "charge.create", Queue: Celery, Message: "billing.tasks.create_charge",
		Operation:  Operation{Key: pathsOf("kwargs.tenant", "kwargs.order_id"), Fingerprint: pathsOf("kwargs.amount_cents")},
		Effect:     Effect{Kind: Outside, What: "a charge at the payment service"},
		LongestRun: 40 * time.Second, Lease: 2 * time.Minute,
		Stale: Stale{Policy: Lookup, Settle: 30 * time.Second}, Retention: 45 * 24 * time.Hour,
	}
}

func ownRowJob() Job {
	j := outsideJob()
	j.Effect.Kind, j.Stale = OwnRow, Stale{}
	return j
}

func TestValidJobs(t *testing.T) {
	resend, hold := outsideJob(), outsideJob()
	resend.Stale = Stale{Policy: Resend, ReferenceWindow: 24 * time.Hour}
	hold.Stale, hold.Retention = Stale{Policy: Hold, MaxTakeovers: 2}, 0
	sqs, sidekiq, celery, rq := ownRowJob(), ownRowJob(), ownRowJob(), ownRowJob()
	sqs.Queue, sqs.Operation = SQS, Operation{Key: pathsOf("body.id", "attributes.tenant")}
	sidekiq.Queue, sidekiq.Operation = Sidekiq, Operation{Key: pathsOf("job.tenant", "args[0]")}
	celery.Queue, celery.Operation = Celery, Operation{Key: pathsOf("headers.tenant", "args[0]")}
	rq.Queue, rq.Operation = RQ, Operation{Key: pathsOf("kwargs.tenant", "args[0]")}
	for _, j := range []Job{outsideJob(), ownRowJob(), resend, hold, sqs, sidekiq, celery, rq} {
		if err := j.Validate(); err != nil {
			t.Errorf("%+v: %v", j, err)
		}
	}
}

func TestValidateRefuses(t *testing.T) {
	for _, c := range []struct {
		want string
		make func(*Job)
	}{
		{"a job type has 1 to 64 bytes", func(j *Job) { j.Type = "" }},
		{"a job type has 1 to 64 bytes", func(j *Job) { j.Type = strings.Repeat("x", 65) }},
		{"a job type is valid UTF-8 without NUL", func(j *Job) { j.Type = "a\x00b" }},
		{"a job type is valid UTF-8 without NUL", func(j *Job) { j.Type = "\xff" }},
		{`queue: "kafka" is no queue`, func(j *Job) { j.Queue = "kafka" }},
		{"queue: the queue is missing", func(j *Job) { j.Queue = "" }},
		{`effect.kind: "mail" is no kind of effect`, func(j *Job) { j.Effect.Kind = "mail" }},
		{"operation.key: no path is named", func(j *Job) { j.Operation.Key = nil }},
		{"operation.key[1]: the path is empty", func(j *Job) { j.Operation.Key[1] = Path{} }},
		{"operation.key[1]: kwargs.tenant is named twice", func(j *Job) { j.Operation.Key = pathsOf("kwargs.tenant", `kwargs["tenant"]`) }},
		{"operation.key[0]: a message of celery has no body", func(j *Job) { j.Operation.Key = pathsOf("body.id") }},
		{"operation.fingerprint[0]: a message of celery has no attributes", func(j *Job) { j.Operation.Fingerprint = pathsOf("attributes.id") }},
		{"operation.fingerprint: the list of fields has more than 1000 bytes", func(j *Job) { j.Operation.Fingerprint = pathsOf("kwargs." + strings.Repeat("x", 1000)) }},
		{"longest_run: the longest normal run time is missing", func(j *Job) { j.LongestRun = 0 }},
		{"lease: the lease is at least 1s", func(j *Job) { j.Lease = time.Millisecond; j.LongestRun = time.Microsecond }},
		{"lease: the lease must be longer than longest_run", func(j *Job) { j.LongestRun = j.Lease }},
		{"lease: must be whole milliseconds", func(j *Job) { j.Lease++ }},
		{"retention: retention must be longer than the lease", func(j *Job) { j.Retention = j.Lease }},
		{"retention: retention must be longer than the lease", func(j *Job) { j.Retention = -1 }},
		{"stale_claim: an own row takes no policy", func(j *Job) { j.Effect.Kind = OwnRow }},
		{"stale_claim.policy: the policy is missing", func(j *Job) { j.Stale = Stale{} }},
		{`stale_claim.policy: "retry" is no policy`, func(j *Job) { j.Stale.Policy = "retry" }},
		{"stale_claim.settle: lookup needs a settle time", func(j *Job) { j.Stale.Settle = 0 }},
		{"stale_claim.settle: only lookup has a settle time", func(j *Job) { j.Stale.Policy = Hold }},
		{"stale_claim.max_lookups: only lookup looks up", func(j *Job) { j.Stale = Stale{Policy: Hold, MaxLookups: 3} }},
		{"stale_claim.max_lookups: must not be negative", func(j *Job) { j.Stale.MaxLookups = -1 }},
		{"stale_claim.max_takeovers: must not be negative", func(j *Job) { j.Stale.MaxTakeovers = -1 }},
		{"stale_claim.reference_window: resend needs a reference window longer than the lease", func(j *Job) { j.Stale = Stale{Policy: Resend, ReferenceWindow: j.Lease} }},
		{"stale_claim.reference_window: only resend has a reference window", func(j *Job) { j.Stale.ReferenceWindow = time.Hour }},
	} {
		j := outsideJob()
		c.make(&j)
		if err := j.Validate(); err == nil || err.Error() != c.want {
			t.Errorf("error:\n%v\nwant:\n%s", err, c.want)
		}
	}
}

func TestValidateReportsEverything(t *testing.T) {
	err := Job{}.Validate()
	var problems Problems
	if !errors.As(err, &problems) || len(problems) != 6 {
		t.Fatalf("%v", err)
	}
	var first Problem
	if !errors.As(err, &first) || first.What != "a job type has 1 to 64 bytes" {
		t.Errorf("%v", first)
	}
	for _, p := range problems {
		if p.Hint == "" {
			t.Errorf("%v has no hint", p)
		}
	}
}

func TestNotes(t *testing.T) {
	j := outsideJob()
	j.Queue, j.Operation = SQS, Operation{Key: pathsOf("body.id")}
	j.Lease = 12 * time.Hour
	if notes := j.Notes(); len(notes) != 1 || notes[0].Error() != "lease: lease + settle is longer than the 12h for which SQS can hide a message" {
		t.Errorf("%v", notes)
	}
	j.Stale = Stale{Policy: Hold}
	if notes := j.Notes(); len(notes) != 0 {
		t.Errorf("%v", notes)
	}
}
