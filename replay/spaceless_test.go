package replay

import (
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// What names the operation of an effect may lose a space at its end: then no two operations
// differ in that, and the plan says so.
func TestSpacesAtTheEnd(t *testing.T) {
	for name, c := range map[string]struct {
		outside jobfile.OutsideService
		spaced  bool
	}{
		"body of a call":   {jobfile.OutsideService{Operation: "body.order_id"}, true},
		"header of a call": {jobfile.OutsideService{Operation: "header.Idempotency-Key"}, false},
		"subject":          {jobfile.OutsideService{Mail: jobfile.Mail{Operation: "subject"}}, false},
		"end of a subject": {jobfile.OutsideService{Mail: jobfile.Mail{Operation: "subject", Pattern: "order (.+)$"}}, false},
		"in quotes":        {jobfile.OutsideService{Mail: jobfile.Mail{Operation: "header.X-Order", Pattern: `^"(.*)"$`}}, true},
		"in parentheses":   {jobfile.OutsideService{Mail: jobfile.Mail{Operation: "subject", Pattern: `\((.+)\)`}}, true},
		"header of a mail": {jobfile.OutsideService{Mail: jobfile.Mail{Operation: "header.X-Order"}}, false},
		"body of a mail":   {jobfile.OutsideService{Mail: jobfile.Mail{Operation: "body"}}, true},
		"own row":          {jobfile.OutsideService{}, true},
	} {
		spec := &jobfile.Replay{Outside: c.outside, Message: jobfile.Message{Body: `{"id": "{{key}}"}`}, Versions: []jobfile.CodeVersion{{Name: "new"}}}
		j := job.Job{Queue: job.SQS, Operation: job.Operation{Key: []job.Path{job.MustParsePath("body.id")}}}
		w := &world{lab: &lab{Request: Request{Spec: spec, Job: j}}, values: map[string]bool{}}
		ops, err := w.similarOperations()
		if err != nil {
			t.Fatal(err)
		}
		if spaced := slices.ContainsFunc(ops, func(o operation) bool { return strings.HasSuffix(o.key, " ") }); spaced != c.spaced {
			t.Errorf("%s: %v", name, ops)
		}
		cases := NewPlan(j, "", spec, judge.Durable).Cases
		said := cases[slices.IndexFunc(cases, func(p judge.Planned) bool { return p.Case == judge.TwoOperations })].What
		if strings.Contains(said, "none in a trailing space") == c.spaced {
			t.Errorf("%s: the plan says %s", name, said)
		}
	}
}
