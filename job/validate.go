package job

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	maxTypeBytes = 64
	minLease     = time.Second
	// MaxFieldsBytes is the longest list of a fingerprint's fields, which the
	// record keeps beside the sum.
	MaxFieldsBytes = 1000
)

// Validate returns everything that is wrong with the job as Problems, or nil.
func (j Job) Validate() error {
	var p Problems
	j.checkNames(&p)
	j.checkOperation(&p)
	j.checkTimes(&p)
	j.checkPolicy(&p)
	if len(p) == 0 {
		return nil
	}
	return p
}

func (j Job) checkNames(p *Problems) {
	p.check(len(j.Type) >= 1 && len(j.Type) <= maxTypeBytes, "", "a job type has 1 to 64 bytes",
		"name the job by what it does, such as charge.create")
	p.check(utf8.ValidString(j.Type) && !strings.ContainsRune(j.Type, 0), "", "a job type is valid UTF-8 without NUL",
		"name the job by what it does, such as charge.create")
	p.check(j.Queue.roots() != nil, "queue", oneOf(j.Queue, "queue"), "write sidekiq, celery, rq or sqs")
	p.check(j.Effect.Kind == OwnRow || j.Effect.Kind == Outside, "effect.kind", oneOf(j.Effect.Kind, "kind of effect"),
		"write own_row (a row in the application's own database) or outside")
}

// oneOf names a token that is not one of the known ones.
func oneOf[T ~string](token T, what string) string {
	if token == "" {
		return "the " + what + " is missing"
	}
	return strconv.Quote(string(token)) + " is no " + what
}

// roots are those of the queue's messages.
func (q Queue) roots() []string {
	switch q {
	case SQS:
		return []string{rootBody, rootAttributes}
	case Celery:
		return []string{rootArgs, rootKwargs, rootHeaders}
	case Sidekiq:
		return []string{rootArgs, rootJob}
	case RQ:
		return []string{rootArgs, rootKwargs}
	}
	return nil
}

func (j Job) checkOperation(p *Problems) {
	p.check(len(j.Operation.Key) > 0, "operation.key", "no path is named",
		"name what identifies the business operation, such as kwargs.order_id")
	j.checkPaths(p, "operation.key", j.Operation.Key)
	j.checkPaths(p, "operation.fingerprint", j.Operation.Fingerprint)
	p.check(len(pathList(j.Operation.Fingerprint)) <= MaxFieldsBytes, "operation.fingerprint",
		"the list of fields has more than 1000 bytes", "name fewer fields")
}

func (j Job) checkPaths(p *Problems, field string, paths []Path) {
	roots := j.Queue.roots()
	for i, path := range paths {
		at := field + "[" + strconv.Itoa(i) + "]"
		if path.Root() == "" {
			p.add(at, "the path is empty", "write a path such as body.order.id or args[0]")
			continue
		}
		if roots != nil && !slices.Contains(roots, path.Root()) {
			p.add(at, "a message of "+string(j.Queue)+" has no "+path.Root(), "start the path with "+strings.Join(roots, " or "))
		}
		if slices.ContainsFunc(paths[:i], path.Equal) {
			p.add(at, path.String()+" is named twice", "name each path once")
		}
	}
}

func (j Job) checkTimes(p *Problems) {
	p.check(j.LongestRun > 0, "longest_run", "the longest normal run time is missing", "write how long the job runs at most, such as 40s")
	p.check(j.Lease >= minLease, "lease", "the lease is at least 1s", "write longer than the longest run, such as 2m")
	p.check(j.Lease > j.LongestRun || j.Lease < minLease, "lease", "the lease must be longer than longest_run",
		"a job that outlives its lease is taken over while it runs; lengthen the lease")
	p.check(j.Retention == 0 || j.Retention > j.Lease, "retention", "retention must be longer than the lease",
		"keep records longer than the longest possible redelivery, such as 45d")
	stored := []struct {
		field string
		d     time.Duration
	}{{"lease", j.Lease}, {"stale_claim.settle", j.Stale.Settle}, {"stale_claim.reference_window", j.Stale.ReferenceWindow}}
	for _, s := range stored {
		p.check(s.d%time.Millisecond == 0, s.field, "must be whole milliseconds", "the record keeps milliseconds")
	}
}
