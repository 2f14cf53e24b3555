package jobfile

import (
	"encoding/json"
	"strings"

	"github.com/twiceproof/twiceproof/job"
)

// JobOf gives the job that the replay is about, after checking what can only
// be checked against it: that what the policy needs of the outside service is
// there, and that the message gives the job its operation key. It also sets the
// default that depends on the job.
func (r *Replay) JobOf(f *File) (job.Job, error) {
	d := &decoder{file: r.Path, places: r.places, bad: map[string]bool{}}
	j, err := f.Job(r.Job)
	if err != nil {
		wrong := Errors(err)[0]
		d.failField("job", "job: "+wrong.File+" "+wrong.What, wrong.Hint)
		return job.Job{}, join(d.errs)
	}
	if _, written := r.places["environment.broker"]; !written {
		r.Environment.Broker = brokerVariables[j.Queue]
	}
	d.checkOutsideFor(j, r.Outside)
	onSQS := j.Queue == job.SQS || r.Queue.Broker == "sqs"
	d.check(!r.Queue.TLS || !onSQS, "queue.tls", "does not go with Amazon SQS", "leave it out: clients take the endpoint's scheme from its address, which here is http")
	d.checkEffectsFor(j, r.Effects)
	d.checkKeyOf(j, r.Message)
	d.checkFingerprintOf(j, r.Message)
	if len(d.errs) > 0 {
		return job.Job{}, join(d.errs)
	}
	return j, nil
}

// brokerVariables are the ones that each system's own clients read.
var brokerVariables = map[job.Queue]string{job.SQS: "AWS_ENDPOINT_URL_SQS", job.Sidekiq: "REDIS_URL", job.Celery: "CELERY_BROKER_URL", job.RQ: "RQ_REDIS_URL"}

func (d *decoder) checkOutsideFor(j job.Job, o OutsideService) {
	isCall := j.Effect.Kind == job.Outside && o.Mail.Operation == ""
	d.check(len(o.Hosts) == 0 || isCall, "outside.hosts", "is for a job whose effect is a call", "leave it out")
	if j.Effect.Kind != job.Outside {
		return
	}
	policy := j.Stale.Policy
	if o.Mail.Operation != "" {
		d.check(o.Act == "", "outside.mail", "stands beside outside.act", "leave one of them out: the effect is a mail or a call")
		d.check(policy != job.Lookup && policy != job.Resend, "outside.mail", "does not go with policy "+string(policy),
			"a mail server shows no mails and knows no reference: choose hold, accept_duplicate or accept_miss")
		return
	}
	d.check(o.Act != "", "outside.act", "is missing", "write the call that makes the effect, such as POST /charges")
	d.check(o.Operation != "", "outside.operation", "is missing", "write where that call names the operation, such as body.order_id")
	d.check(policy != job.Lookup || o.LookUp != "", "outside.look_up", "is missing", "policy lookup needs the call that looks up, such as GET /charges/{reference}")
	d.check(o.Reference != "" || policy != job.Resend && !strings.Contains(o.LookUp, "{reference}"),
		"outside.reference", "is missing", "write where the call carries its reference, such as body.reference or header.Idempotency-Key")
}

func (d *decoder) checkEffectsFor(j job.Job, e Effects) {
	if j.Effect.Kind != job.OwnRow {
		return
	}
	d.check(e.Count != "", "effects.count", "is missing", "write a query that counts the rows of one operation, such as SELECT count(*) FROM charges WHERE order_id = $1")
	d.check(e.Statement != "", "effects.statement", "is missing", "write a part of the statement that makes the row, such as INSERT INTO charges")
}

// checkKeyOf tries the template with two values: each must give a key, and not
// the same one, or every case would be one operation.
func (d *decoder) checkKeyOf(j job.Job, m Message) {
	keys := map[string]bool{}
	for _, value := range []string{"1001", "1002"} {
		body, attributes := m.Fill(value)
		fields, err := job.FieldsOf(j.Queue, []byte(body), attributes)
		var key string
		if err == nil {
			key, err = j.Operation.KeyOf(fields)
		}
		if err != nil {
			d.check(false, "message", "gives no operation key: "+err.Error(), keyHint(body))
			return
		}
		keys[key] = true
	}
	d.check(len(keys) == 2, "message", "gives every case the same operation key", "put "+keyMark+" where operation.key of the job file looks")
}

// keyHint: a path cannot be made to fit a body that has no fields at all.
func keyHint(body string) string {
	if !json.Valid([]byte(body)) {
		return "message.body is no JSON, so it has no fields: write it as JSON, or let operation.key of the job file name an attribute"
	}
	return "make the template fit the paths of operation.key in the job file"
}
