package judge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/job"
	. "github.com/twiceproof/twiceproof/replay/judge"
)

// A worker that still has the message when the time is over is blocked only where
// nothing that crossed the wire says that it may be slow, or can do nothing.
func TestJudgeBlocked(t *testing.T) {
	const limit = 20_000
	timeout := Event{Event: EventTimeout, Run: 1, MS: 30_000, ForMS: limit, Detail: "a worker was still busy after 20s"}
	locked := timeout
	locked.What = TimeoutLocked
	step := func(at int64, worker, step, phase, status string) Event {
		return Event{Event: EventStep, Run: 1, MS: at, Worker: worker, Step: step, What: phase, Detail: status}
	}
	received := onQueue(1, "B", "m", 2, "received")
	received.MS = 9_000
	asks := step(10_000, "B", "database UPDATE jobs #1", "forwarded", "")
	answered := func(at int64, status string) []Event {
		return []Event{
			step(at, "B", "database INSERT INTO jobs #1", "forwarded", ""),
			step(at, "B", "database INSERT INTO jobs #1", "reply", status), step(at, "B", "database INSERT INTO jobs #1", "passed", status),
		}
	}
	polls := step(10_000, "B", "queue ReceiveMessage #2", "forwarded", "")
	for _, c := range []struct {
		name  string
		steps []Event
		end   Event
		why   string // of the doubt; "" is blocked
	}{
		{"it says nothing at all", nil, timeout, ""},
		{"longest_run is not over", []Event{received}, timeout, "has had its message for 21s: longest_run lets it be busy for 25s"},
		{"it has said nothing for long", answered(11_000, "INSERT 0 1 I"), timeout, ""},
		{"the other one is at work", []Event{step(29_000, "A", "outside POST /charges #1", "passed", "200")}, timeout, ""},
		{"it asks the queue to wait longer", []Event{onQueue(1, "B", "m", 2, "visibility_changed")}, timeout, ""},
		{"a lock of another one", []Event{asks}, locked, ""},
		{"the statement is under way", []Event{asks}, timeout, "waits for the database"},
		{"the service has not answered", []Event{step(10_000, "B", "outside POST /charges #1", "forwarded", "")}, locked, "waits for the outside"},
		{"it gets further", answered(25_000, "INSERT 0 1 I"), timeout, "still getting further 5s before"},
		{"the database refuses", answered(11_000, "ERROR 53100 I"), timeout, "with an error"},
		{"it refuses within transactions", slices.Concat(answered(11_000, "BEGIN T"), answered(11_001, "ERROR 53100 E"), answered(11_002, "ROLLBACK I")), timeout, "with an error"},
		{"it refused once", slices.Concat(answered(11_000, "ERROR 40001 I"), answered(11_000, "INSERT 0 1 I")), timeout, ""},
		{"it has let the message go", []Event{onQueue(1, "B", "m", 2, "visibility_changed"), polls}, timeout, "no worker has the message"},
		{"the message left by itself", []Event{onQueue(1, "", "m", 2, "visibility_over"), polls}, timeout, "no worker has the message"},
		{"it left, and the other one did it", []Event{onQueue(1, "", "m", 2, "visibility_over"), onQueue(1, "A", "m", 2, "received"), onQueue(1, "A", "m", 2, "deleted")}, timeout, ""},
		{"it asks for more with the message in hand", []Event{polls}, timeout, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := plannedFor(job.Lookup, guarded, "concurrent")
			p.LongestRunMS = 25_000
			got := Of(p, slices.Concat(stillRacing(), c.steps, []Event{c.end}))
			if c.why == "" && got.Kind != Blocked || c.why != "" && (got.Verdict != Unknown || !strings.Contains(got.Why, c.why)) {
				t.Errorf("got %+v, want %q", got, c.why)
			}
		})
	}
}
