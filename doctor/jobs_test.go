package doctor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/doctor"
	"github.com/twiceproof/twiceproof/job"
)

// The job file by itself.
func TestJobFile(t *testing.T) {
	for i, c := range []struct {
		id    string
		queue job.Queue
		change
	}{
		{"job.lease", job.Celery, change{do: "lease: 2m", undo: "lease: 49s"}},
		{"job.key_volatile", job.Celery, change{do: "kwargs.order_id", undo: "kwargs.task_id"}},
		{"job.key_volatile", job.SQS, change{do: "body.order", undo: "body.meta.sent_at"}},
		{"job.key_volatile", job.SQS, change{do: `["body.order"]`, undo: `["body.order", 'attributes["message_id"]']`}},
		{"job.key_volatile", job.Sidekiq, change{do: `["args[0]"]`, undo: `["args[0]", job.created_at]`}},
		{"job.key_volatile", job.Sidekiq, change{do: "args[0]", undo: "job.jid"}},
		{"job.message_not_stored", job.Celery, change{do: "    retention:", undo: "    store_message: false\n    retention:"}},
		{"job.retention", job.SQS, change{do: "    retention: 400d\n", undo: ""}},
		{"job.retention_short", job.SQS, change{do: "400d", undo: "27d"}}, // nobody has read the queue: the longest that there is
		{"job.retention_short", job.Sidekiq, change{do: "400d", undo: "199d"}},
	} {
		t.Run(fmt.Sprint(c.id, i), func(t *testing.T) {
			good, bad := theJob(t, c.queue), theJob(t, c.queue, c.do, c.undo)
			jobs := good
			comesAndGoes(t, c.id, func() doctor.Report { return doctor.Examine(doctor.Facts{Jobs: jobs}) }, func() { jobs = bad }, func() { jobs = good })
		})
	}
	// Words that only look like it.
	for _, key := range []string{"kwargs.order_number", "args[0]", "kwargs.job.id", "kwargs.retry_order"} {
		if got := found(doctor.Examine(doctor.Facts{Jobs: theJob(t, job.Celery, "kwargs.order_id", key)})); len(got) > 0 {
			t.Errorf("%s: %q", key, got)
		}
	}
}

// Accepted findings do not count, but stay in the report with what they void.
func TestAccept(t *testing.T) {
	r := doctor.Examine(doctor.Facts{Jobs: theJob(t, job.Celery, "lease: 2m", "lease: 45s")})
	if r.Serious() != 1 || r.Findings[0].Severity != doctor.Repeats {
		t.Fatalf("%+v", r)
	}
	if unknown := r.Accept([]string{"job.leese"}); len(unknown) != 1 || r.Serious() != 1 {
		t.Errorf("%q, %+v", unknown, r)
	}
	if unknown := r.Accept([]string{"job.lease"}); len(unknown) != 0 || r.Serious() != 0 || !r.Findings[0].Accepted {
		t.Errorf("%q, %+v", unknown, r)
	}
	note := doctor.Examine(doctor.Facts{Jobs: theJob(t, job.Celery, "    retention: 400d\n", "")})
	if len(note.Findings) != 1 || note.Serious() != 0 {
		t.Errorf("%+v", note)
	}
}

// The worst comes first.
func TestOrder(t *testing.T) {
	jobs := theJob(t, job.Celery, "    retention: 400d\n", "")
	r := doctor.Examine(doctor.Facts{
		Jobs: jobs, Table: &doctor.Table{Dialect: "postgres", Name: "records"}, Redis: &doctor.Redis{AppendOnly: true, Fsync: "no", Policy: "allkeys-lru"},
		Postgres: &doctor.Postgres{Settings: map[string]string{"fsync": "off"}},
	})
	var order []string
	for _, f := range r.Findings {
		order = append(order, f.ID)
	}
	if got := fmt.Sprint(order); got != "[postgres.fsync redis.eviction redis.appendfsync table.missing job.retention]" {
		t.Error(got)
	}
}

// What a policy says of a queue counts as if the queue had been declared so.
func TestPoliciesOfRabbitMQ(t *testing.T) {
	for name, c := range map[string]struct{ value, want string }{
		"expires": {"1800000", "rabbitmq.expires"}, "message-ttl": {"60000", "rabbitmq.message_ttl"}, "max-length": {"10", "rabbitmq.max_length"},
		"max-length-bytes": {"10", "rabbitmq.max_length"}, "delivery-limit": {"9", "rabbitmq.delivery_limit"}, "queue-mode": {"lazy", ""},
	} {
		r := doctor.RabbitMQ{Durable: true, Policy: map[string]string{name: c.value}}
		if got := strings.Join(found(doctor.Examine(doctor.Facts{RabbitMQ: &r, Jobs: theJob(t, job.Celery)})), " "); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
		r.Policy["overflow"] = "reject-publish"
		if got := found(doctor.Examine(doctor.Facts{RabbitMQ: &r})); c.want == "rabbitmq.max_length" && len(got) > 0 {
			t.Errorf("a publisher that is refused knows: %q", got)
		}
	}
}
