package rq

import (
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/queue"
)

// The job is whole: RQ's own worker calls the function with every digit.
func TestMessage(t *testing.T) {
	r := start(t, "jobs.succeeds")
	id := r.send(`{"args": ["o1", null, 1.5, true, [1]], "kwargs": {"amount": 12345678901234567890, "ümlaut": {"a": "é"}}, "timeout": 60}`)
	r.worker("A")
	r.idle("A")
	got := r.begins(1)[0]
	for _, want := range []string{"('o1', None, 1.5, True, [1]) ", "'amount': 12345678901234567890", "'ümlaut': {'a': 'é'}"} {
		if !strings.Contains(got, want) {
			t.Errorf("called with %s, want %s", got, want)
		}
	}
	r.expect("sent1, received1 A, deleted1 A")
	if status := r.redis().HGet(t.Context(), jobPrefix+id, "status").Val(); status != "finished" {
		t.Errorf("status %q", status)
	}
	for _, body := range []string{"no json", `["args"]`, `{"queue": 7}`, `{"args": {}}`, `{"kwargs": []}`} {
		if _, err := r.q.Send(queue.Message{Body: body}); err == nil {
			t.Errorf("%s was put on", body)
		}
	}
}

func TestAFailureIsADeadLetter(t *testing.T) {
	r := start(t, "jobs.fails")
	r.worker("A")
	r.send(`{"args": ["o1"]}`)
	r.idle("A")
	r.begins(1)
	r.expect("sent1, received1 A, dead_lettered1 A")
	if dead := r.q.Look().Dead; dead != 1 {
		t.Errorf("%d dead letters", dead)
	}
}

// A retry without an interval is put on at once; one with it waits in the scheduled registry.
func TestRetries(t *testing.T) {
	r := start(t, "jobs.fails")
	r.worker("A")
	r.send(`{"args": ["o1"], "retries_left": 2, "retry_intervals": [0, 3600]}`)
	r.idle("A")
	r.begins(2)
	r.expect("sent1, received1 A, visibility_changed1 A, received1 A, visibility_changed1 A")
	if s := r.q.Look(); s.Delayed != 1 || s.Due < 59*time.Minute || s.Due > time.Hour+time.Minute {
		t.Errorf("%d delayed, due in %s", s.Delayed, s.Due)
	}
	r.advance(30 * time.Minute)
	r.begins(2)
	r.advance(31 * time.Minute)
	r.begins(3)
	r.idle("A")
	r.expect("sent1, received1 A, visibility_changed1 A, received1 A, visibility_changed1 A, visibility_over1, unscheduled1, received1 A, dead_lettered1 A")
}

// Two copies of one job that are both put back are one from then on.
func TestTheScheduledRegistryHasAJobOnce(t *testing.T) {
	r := start(t, "jobs.returns_retry")
	r.worker("A")
	if _, err := r.q.SendTwice(queue.Message{Body: `{"args": ["o1"]}`}); err != nil {
		t.Fatal(err)
	}
	r.idle("A")
	r.expect("sent1, redelivered2, received1 A, visibility_changed1 A, received2 A, deleted2 A")
	r.advance(61 * time.Minute)
	r.begins(3)
	r.idle("A")
}

// What comes in a moment is waited for: a job's own clock is the machine's.
func TestATimeThatIsNear(t *testing.T) {
	r := start(t, "jobs.fails")
	r.worker("A")
	id := r.send(`{"args": ["o1"], "retries_left": 1, "retry_intervals": [2]}`)
	r.begins(1)
	r.idle("A")
	due := r.redis().ZScore(t.Context(), scheduledPrefix+standard, id).Val()
	r.advance(2 * time.Second)
	if now := time.Now().Unix(); due == 0 || now < int64(due) {
		t.Errorf("it was put on at %d, and due at %.0f", now, due)
	}
	r.begins(2)
}

// A worker with a scheduler puts on by itself what is due, and that is known.
func TestScheduler(t *testing.T) {
	r := start(t, "jobs.fails")
	r.worker("A", "worker", "--with-scheduler")
	r.send(`{"args": ["o1"], "retries_left": 2, "retry_intervals": [1, 3600]}`)
	r.begins(2)
	r.idle("A")
	const want = "sent1, received1 A, visibility_changed1 A, received1 A, visibility_changed1 A"
	if told := strings.Replace(r.told(), "visibility_over1, ", "", 1); told != want { // the worker may be seen to have it before the scheduler to put it on
		t.Errorf("told %q, want %q", told, want)
	}
	r.advance(61 * time.Minute)
	r.begins(3)
	r.idle("A")
	if told := r.told(); strings.Contains(told, string(queue.Unscheduled)) {
		t.Error(told)
	}
}

// A job whose hash is gone is passed over by a worker, without a word.
func TestAHashThatIsGone(t *testing.T) {
	r := start(t, "jobs.succeeds")
	id := r.send(`{"args": ["o1"]}`)
	r.redis().Del(t.Context(), jobPrefix+id)
	r.worker("A")
	r.idle("A")
	r.advance(twoLooks + time.Minute)
	r.expect("sent1, received1 A, deleted1")
	if err := r.q.Redeliver(id); err != nil { // and is made anew
		t.Fatal(err)
	}
	r.begins(1)
	r.idle("A")
}

// A pool has several workers in one: nothing in hand is over before all of them ask.
func TestPool(t *testing.T) {
	r := start(t, "jobs.waits")
	r.worker("A", "worker-pool", "-n", "2")
	r.wait(func(s queue.Snapshot) bool { return s.Idle["A"] })
	r.send(`{"args": ["o1"]}`)
	r.begins(1)
	r.send(`{"args": ["o2"]}`)
	r.begins(2)
	r.expect("sent1, received1 A, sent1, received1 A")
	r.goOn()
	r.idle("A")
	if n := r.q.Look().Count(queue.Deleted); n != 2 {
		t.Error(r.told())
	}
}
