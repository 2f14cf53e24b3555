package amqpwire_test

import (
	"os/exec"
	"testing"

	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// The script is what Celery's worker does, by the library that it does it with.
const pythonScript = `
import sys, amqp
with amqp.Connection(sys.argv[1], heartbeat=60) as conn:
    ch = conn.channel()
    ch.queue_declare("jobs", durable=True, auto_delete=False)
    ch.basic_publish(amqp.Message("m", correlation_id="task", application_headers={"lang": "py", "retries": 0}), routing_key="jobs")
    ch.basic_qos(0, 1, False)
    got = []
    tag = ch.basic_consume("jobs", callback=got.append)
    while not got: conn.drain_events(timeout=60)
    assert got[0].body == "m" and got[0].headers["lang"] == "py", got[0].body
    ch.basic_ack(got[0].delivery_tag)
    ch.basic_cancel(tag)
    ch.basic_publish_confirm(amqp.Message("n"), routing_key="jobs")
    ch.basic_reject(ch.basic_get("jobs").delivery_tag, requeue=False)
`

// py-amqp gets what it gets without the proxy.
func TestPyAMQP(t *testing.T) {
	s := start(t)
	if out, err := exec.CommandContext(t.Context(), wiretest.Python(t, "amqp"), "-c", pythonScript, s.proxy.Addr()).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.Want(t, "Channel.Open [OK]", "Queue.Declare jobs [OK]", "Basic.Publish jobs []", "Basic.Qos [OK]", "Basic.Consume jobs [OK]",
		"Basic.Deliver jobs []", "Basic.Ack jobs []", "Basic.Cancel [OK]", "Confirm.Select [OK]", "Basic.Publish jobs [confirmed]",
		"Basic.Get jobs [message]", "Basic.Deliver jobs []", "Basic.Reject jobs []")
	if notes := s.Unreadable(); len(notes) > 0 {
		t.Errorf("notes %q", notes)
	}
}
