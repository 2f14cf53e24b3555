package replay

import (
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

// Why a case does not apply, by job, database and code; "" where it does.
func TestUnfit(t *testing.T) {
	ownRow := job.Job{Effect: job.Effect{Kind: job.OwnRow}}
	call := job.Job{Effect: job.Effect{Kind: job.Outside}, Stale: job.Stale{Policy: job.Lookup}}
	heldCall := job.Job{Effect: job.Effect{Kind: job.Outside}, Stale: job.Stale{Policy: job.Hold}}
	lite, pg, my, other := jobfile.SQLite, jobfile.Postgres, jobfile.MySQL, jobfile.DatabaseKind("other")
	for _, c := range []struct {
		name string
		s    setting
		want string
	}{
		{"killed_after_claim", setting{job: ownRow, database: lite, guarded: true}, "SQLite has no wire"},
		{"killed_after_claim", setting{job: ownRow, database: other, guarded: true}, "the protocol of other, so nothing"},
		{"killed_after_claim", setting{job: ownRow, database: pg, guarded: true}, ""},
		{"killed_after_claim", setting{job: ownRow, database: my, guarded: true}, ""},
		{"killed_after_claim", setting{job: call, database: lite, guarded: true}, ""},
		{"killed_twice", setting{job: ownRow, database: lite}, "SQLite has no wire"},
		{"shutdown", setting{job: ownRow, database: lite}, "SQLite has no wire"},
		{"young_claim", setting{job: ownRow, database: pg, guarded: true}, "born completed"},
		{"old_claim", setting{job: ownRow, database: lite, guarded: true}, "born completed"},
		{"late_finisher/after_effect", setting{job: ownRow, database: pg, guarded: true}, "born completed"},
		{"young_claim/paused", setting{job: call, database: lite}, ""},
		{"young_claim/clocks_apart", setting{job: call, database: lite, guarded: true}, "no clock of its own"},
		{"young_claim/clocks_apart", setting{job: call, database: other, guarded: true}, "the protocol of other"},
		{"young_claim/clocks_apart", setting{job: call, database: pg}, "without our record"},
		{"young_claim/clocks_apart", setting{job: ownRow, database: pg, guarded: true}, "born completed"},
		{"young_claim/clocks_apart", setting{job: call, database: pg, guarded: true}, ""},
		{"young_claim/clocks_apart", setting{job: call, database: my, guarded: true}, ""},
		{"old_claim/two_at_once", setting{job: call, database: lite, guarded: true}, "SQLite has no wire"},
		{"old_claim/two_at_once", setting{job: call, database: pg}, "without our record"},
		{"old_claim/two_at_once", setting{job: ownRow, database: pg, guarded: true}, "born completed"},
		{"old_claim/two_at_once", setting{job: call, database: pg, guarded: true}, ""},
		{"old_claim/two_at_once", setting{job: call, database: my, guarded: true}, ""},
		{"unreachable_database", setting{job: call, database: lite, guarded: true}, "SQLite is a file"},
		{"unreachable_database", setting{job: call, database: other, guarded: true}, "the protocol of other, so no reply"},
		{"unreachable_database", setting{job: call, database: pg}, "without our record"},
		{"unreachable_database", setting{job: ownRow, database: pg, guarded: true}, ""},
		{"unreachable_database", setting{job: ownRow, database: my, guarded: true}, ""},
		{"lost_reply/claim", setting{job: call, database: lite, guarded: true}, "SQLite has no wire"},
		{"lost_reply/claim", setting{job: call, database: pg}, "without our record"},
		{"lost_reply/claim", setting{job: ownRow, database: pg, guarded: true}, "committed with its completion"},
		{"lost_reply/completion", setting{job: ownRow, database: pg, guarded: true}, ""},
		{"lost_reply/completion", setting{job: ownRow, database: my, guarded: true}, ""},
		{"unknown_outcome/dropped", setting{job: ownRow, database: pg, guarded: true}, "no outside service"},
		{"unknown_outcome/look_up_fails", setting{job: heldCall, database: pg, guarded: true}, "only the policy lookup"},
		{"unknown_outcome/look_up_fails", setting{job: call, database: lite}, "only the policy lookup"},
		{"unknown_outcome/look_up_fails", setting{job: call, database: lite, guarded: true}, ""},
		{"old_and_new", setting{job: call, database: lite, guarded: true, backfill: true}, "one without"},
		{"old_and_new", setting{job: call, database: lite, guarded: true, unguardedVersion: true}, "no backfill"},
		{"old_and_new", setting{job: call, database: lite, unguardedVersion: true, backfill: true}, "one without"},
		{"old_and_new", setting{job: call, database: lite, guarded: true, unguardedVersion: true, backfill: true}, ""},
		{"keyless", setting{job: call, database: lite, keyless: true}, "a key of its own"},
		{"keyless", setting{job: ownRow, database: pg, guarded: true, keyless: true}, "counted by their operation"},
		{"keyless", setting{job: call, database: lite, guarded: true}, "no place that is the operation key"},
		{"keyless", setting{job: call, database: lite, guarded: true, keyless: true}, ""},
		{"keyless", setting{job: call, database: lite, guarded: true, keyless: true, failsUnseen: true}, "deletes a task that fails"},
	} {
		got := caseOf(c.name).unfit(c.s)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s for %+v: %q, want %q", c.name, c.s, got, c.want)
		}
	}
}

func TestWithoutKey(t *testing.T) {
	key := job.Operation{Key: []job.Path{job.MustParsePath("body.id")}}
	attribute := job.Operation{Key: []job.Path{job.MustParsePath("attributes.id")}}
	whole := job.Operation{Key: []job.Path{job.MustParsePath("body")}}
	for _, c := range []struct {
		name string
		m    jobfile.Message
		o    job.Operation
		body string
		ok   bool
	}{
		{"a text", jobfile.Message{Body: `{"id": "{{key}}", "n": 1}`}, key, `{"id": null, "n": 1}`, true},
		{"a number", jobfile.Message{Body: `{"id": {{key}}}`}, key, `{"id": null}`, true},
		{"within a text", jobfile.Message{Body: `{"id": "order-{{key}}"}`}, key, `{"id": "order-null"}`, false},
		{"an attribute", jobfile.Message{Body: `{}`, Attributes: map[string]string{"id": "{{key}}", "n": "1"}}, attribute, `{}`, true},
		{"the whole body", jobfile.Message{Body: `{{key}}`}, whole, `null`, true},
		{"elsewhere", jobfile.Message{Body: `{"id": "7", "order": "{{key}}"}`}, key, `{"id": "7", "order": null}`, false},
	} {
		m, ok := withoutKey(job.SQS, c.m, c.o)
		if m.Body != c.body || ok != c.ok {
			t.Errorf("%s: %s, %t", c.name, m.Body, ok)
		}
		if _, there := m.Attributes["id"]; there {
			t.Errorf("%s: the attribute is still there", c.name)
		}
	}
}

func caseOf(label string) Case {
	cases := Cases()
	return cases[slices.IndexFunc(cases, func(c Case) bool { return c.Label() == label })]
}
