package celery

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/twiceproof/twiceproof/queue"
)

// The message is whole, as Celery's own client makes it, and every digit stays.
func TestMessage(t *testing.T) {
	r := startRig(t, true)
	id := send(t, r.q)
	m := r.poll()
	body, _ := base64.StdEncoding.DecodeString(m.Body)
	if want := `[["o1"],{"amount":12345678901234567890},{"callbacks":null,"chain":null,"chord":null,"errbacks":null}]`; string(body) != want {
		t.Errorf("body %s, want %s", body, want)
	}
	if m.id() != id || m.task() != "billing.charge" || m.queue() != "celery" || string(m.Headers["retries"]) != "0" || m.tag() == "" {
		t.Errorf("%v %v", m.Headers, m.Properties)
	}
	for _, body := range []string{"no json", `["args"]`, `{"queue": 7}`, `{"headers": {"id": "mine"}}`} {
		if _, err := r.q.Send(queue.Message{Body: body}); err == nil {
			t.Errorf("%s was put on", body)
		}
	}
}

// Headers of the application may be in the operation key: every digit stays, on AMQP too.
func TestHeadersOfTheApplication(t *testing.T) {
	m, err := newMessage("billing.charge", queue.Message{Body: `{"headers": {"tenant": "t1", "shard": 9007199254740993, "part": 1.0}}`})
	if err != nil || string(m.Headers["tenant"]) != `"t1"` || string(m.Headers["shard"]) != "9007199254740993" {
		t.Fatalf("%s, %v", m.Headers, err)
	}
	table, err := tableOf(m.Headers)
	if err != nil || table["tenant"] != "t1" || table["shard"] != int64(9007199254740993) || table["part"] != 1.0 || table["retries"] != int64(0) {
		t.Errorf("%v, %v", table, err)
	}
	if _, err := newMessage("billing.charge", queue.Message{Body: `{"headers": null}`}); err != nil {
		t.Error(err)
	}
}

func TestLateTheAcknowledgementIsTheEnd(t *testing.T) {
	r := startRig(t, true)
	send(t, r.q)
	m := r.take()
	r.tell("task-received", m)
	r.expect("sent1, received1 A")
	r.acknowledge(m)
	r.expect("sent1, received1 A, deleted1 A")
	if step := <-r.step; step != stepAck {
		t.Errorf("it ended with %q", step)
	}
	r.tell("task-succeeded", m) // changes nothing any more
	r.expect("sent1, received1 A, deleted1 A")
}

func TestEarlyTheEventIsTheEnd(t *testing.T) {
	r := startRig(t, false)
	send(t, r.q)
	m := r.take()
	r.tell("task-received", m)
	r.acknowledge(m)
	r.expect("sent1, received1 A")
	if s := r.q.Look(); s.InFlight != 1 || s.Idle["A"] {
		t.Errorf("at work it is %+v", s)
	}
	r.tell("task-succeeded", m)
	r.expect("sent1, received1 A, deleted1 A")
	if step := <-r.step; step != stepEnd {
		t.Errorf("it ended with %q", step)
	}
}

// The events and the acknowledgement come in one turn of the worker's loop, in any order.
func TestEarlyTheEventMayComeFirst(t *testing.T) {
	r := startRig(t, false)
	send(t, r.q)
	m := r.take()
	r.tell("task-succeeded", m)
	r.expect("sent1, received1 A")
	r.acknowledge(m)
	r.expect("sent1, received1 A, deleted1 A")
}

func TestEarlyWithoutEventsTheEndIsUnseen(t *testing.T) {
	r := startRig(t, false)
	send(t, r.q)
	r.acknowledge(r.take())
	r.expect("sent1, received1 A, end_unseen1 A")
	if r.q.Look().InFlight != 1 {
		t.Error("nobody knows whether it has ended")
	}
}

// A put back is taken at once, and kept in the worker's memory; the worker is idle.
func TestPutBackAndItsTime(t *testing.T) {
	r := startRig(t, true)
	send(t, r.q)
	m := r.take()
	r.putBack(m, time.Minute)
	r.acknowledge(m)
	kept := r.take()
	if s := r.q.Look(); s.Delayed != 1 || s.InFlight != 0 || !s.NextDue || s.Due > time.Minute+time.Second || s.Due < 30*time.Second {
		t.Errorf("%+v", s)
	}
	r.advance(s30)
	if got := r.left(); len(got) != 0 {
		t.Errorf("there before its time: %v", got)
	}
	r.advance(s30 + time.Second)
	now := r.poll()
	if _, timed := now.eta(); timed || now.id() != m.id() || now.tag() == kept.tag() {
		t.Errorf("%v %v", now.Headers, now.Properties)
	}
	r.expect("sent1, received1 A, visibility_changed1 A, visibility_over1, received1 A")
	if n := r.q.broker.(*redisBroker).Client.HExists(t.Context(), unacked, kept.tag()).Val(); n {
		t.Error("the one in memory would come once more")
	}
}

// A lock that expires is as old as what the queue has waited for; what does not stays.
func TestTimePassesForWhatExpires(t *testing.T) {
	r := startRig(t, true)
	r.say.Set(t.Context(), "lock", "held", time.Minute)
	r.say.Set(t.Context(), "record", "kept", 0)
	there := func() int64 { return r.say.Exists(t.Context(), "lock", "record").Val() }
	r.advance(s30)
	if there() != 2 {
		t.Error("it is gone before its time")
	}
	r.advance(s30)
	if there() != 1 {
		t.Error("the lock is still there, or the record is gone, too")
	}
}

const s30 = 30 * time.Second

// What comes within moments is waited for: no copy, the worker's own begins.
func TestAShortWaitIsReal(t *testing.T) {
	r := startRig(t, true)
	send(t, r.q)
	m := r.take()
	r.putBack(m, 500*time.Millisecond)
	r.acknowledge(m)
	kept := r.take()
	r.advance(time.Second)
	wait(t, r.q, func(s queue.Snapshot) bool { return s.InFlight == 1 })
	r.expect("sent1, received1 A, visibility_changed1 A, visibility_over1, received1 A")
	if got := r.left(); len(got) != 0 {
		t.Errorf("a copy was put on: %v", got)
	}
	r.acknowledge(kept)
	wait(t, r.q, func(s queue.Snapshot) bool { return s.InFlight == 0 })
}

func wait(t *testing.T, q *Queue, ok func(queue.Snapshot) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := q.Wait(ctx, ok); err != nil {
		t.Fatalf("%v: told %s", err, kinds(q.Look()))
	}
}

// The one in memory, whose time was let pass, comes after all: it is told, by force.
func TestTheForgottenOneComesAfterAll(t *testing.T) {
	r := startRig(t, true)
	send(t, r.q)
	m := r.take()
	r.putBack(m, realWait+time.Second)
	r.acknowledge(m)
	kept := r.take()
	r.advance(time.Minute)
	r.acknowledge(r.take())
	wait(t, r.q, func(s queue.Snapshot) bool { return s.InFlight == 1 })
	r.acknowledge(kept)
	r.expect("sent1, received1 A, visibility_changed1 A, visibility_over1, received1 A, deleted1 A, redelivered2, received2 A, deleted2 A")
}

// What a dead worker has is there again after its own visibility timeout, not before.
func TestADeadWorkersTask(t *testing.T) {
	r := startRig(t, true)
	r.asksForOverdue(time.Hour)
	send(t, r.q)
	m := r.take()
	r.dies()
	if s := r.q.Look(); s.InFlight != 1 || !s.NextDue || s.Due < 59*time.Minute {
		t.Errorf("%+v", s)
	}
	r.advance(time.Minute)
	if got := r.left(); len(got) != 0 {
		t.Fatalf("there before its time: %v", got)
	}
	r.advance(time.Hour)
	got := r.left()
	if len(got) != 1 || got[0].tag() != m.tag() || string(got[0].Headers["redelivered"]) != "true" {
		t.Errorf("there again: %v", got)
	}
	r.expect("sent1, received1 A, visibility_over1")
}

// Between taking it and saying so, a message is nowhere. And so it is after an
// acknowledgement before the work. Both are lost, and put on again by force.
func TestWhatADeadWorkerLoses(t *testing.T) {
	for kind, dying := range map[queue.Kind]func(rig){
		queue.Lost:      func(r rig) { r.poll() },
		queue.LostEarly: func(r rig) { m := r.take(); r.tell("task-received", m); r.acknowledge(m) },
	} {
		t.Run(string(kind), func(t *testing.T) {
			r := startRig(t, kind == queue.Lost)
			r.asksForOverdue(time.Hour)
			send(t, r.q)
			dying(r)
			r.dies()
			r.advance(time.Second)
			r.expect("sent1, received1 A, " + string(kind) + "1 A, redelivered2")
			if got := r.left(); len(got) != 1 {
				t.Errorf("put on again: %v", got)
			}
		})
	}
}

// A rejected task is back where it was, and its worker gets it again: before the reply that
// says so is seen, or after.
func TestGivenBack(t *testing.T) {
	for name, c := range map[string]struct {
		again func(rig, message)
		want  string
	}{
		"after":  {rig.giveBackThenPoll, "sent1, received1 A, visibility_changed1 A, received1 A, deleted1 A"},
		"before": {rig.pollBeforeGiveBackIsSeen, "sent1, received1 A, received2 A, visibility_changed1 A, deleted2 A"},
	} {
		t.Run(name, func(t *testing.T) {
			r := startRig(t, true)
			send(t, r.q)
			m := r.take()
			c.again(r, m)
			if s := r.q.Look(); s.InFlight != 1 || s.Visible != 0 {
				t.Errorf("in hand again it is %+v", s)
			}
			r.note(m)
			r.acknowledge(m)
			if s := r.q.Look(); s.InFlight != 0 || s.Visible != 0 {
				t.Errorf("done it is %+v", s)
			}
			r.expect(c.want)
		})
	}
}

func (r rig) giveBackThenPoll(m message) {
	r.multi(func(p redis.Pipeliner) { r.giveBack(p, m) })
	if again := r.poll(); again.tag() != m.tag() {
		r.Errorf("%s, want %s", again.tag(), m.tag())
	}
}

func (r rig) pollBeforeGiveBackIsSeen(m message) {
	broker := r.q.broker.(*redisBroker)
	_, err := broker.Client.TxPipelined(r.Context(), func(p redis.Pipeliner) error { r.giveBack(p, m); return nil })
	if err != nil {
		r.Fatal(err)
	}
	r.poll()
	broker.saw("A", transaction{gone: []string{m.tag()}, pushed: []pushed{{m.redelivered(), "celery"}}})
}

func (r rig) giveBack(p redis.Pipeliner, m message) {
	p.ZRem(r.Context(), index, m.tag())
	p.HDel(r.Context(), unacked, m.tag())
	p.LPush(r.Context(), "celery", m.redelivered().encode())
}

// An overdue task is put back by any worker. The one that has it is at work with it still, and
// the one that puts it back may get it before this is seen.
func TestOverdueIsTakenBeforeItIsSeen(t *testing.T) {
	c := newCopies()
	m, err := newMessage("billing.charge", queue.Message{Body: "{}"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"A", "B"} {
		c.asks(name)
		c.worker(name).late = map[string]bool{m.task(): true}
	}
	c.put(queue.Sent, m, "celery")
	c.received("A", m, "celery", true)
	c.received("B", m, "celery", true)
	c.restored("B", m, "celery")
	if s := c.look(); s.Visible != 0 || s.InFlight != 1 || s.Idle["A"] || s.Idle["B"] {
		t.Errorf("with two at work: %+v", s)
	}
	c.acknowledged("A", m.tag())
	c.acknowledged("B", m.tag())
	if s := c.look(); s.Visible != 0 || s.InFlight != 0 {
		t.Errorf("with both done: %+v", s)
	}
}

// What is no worker is seen, too; and what is lost is lost.
func TestWhatOthersPutOnIsSeenAndLost(t *testing.T) {
	r := startRig(t, true)
	options, err := redis.ParseURL(r.q.Direct().Broker)
	if err != nil {
		t.Fatal(err)
	}
	options.Protocol, options.DisableIdentity = 2, true
	other := redis.NewClient(options)
	defer other.Close()
	m, err := newMessage("billing.charge", queue.Message{Body: "{}"})
	if err != nil {
		t.Fatal(err)
	}
	if err := other.LPush(t.Context(), "celery", m.encode()).Err(); err != nil {
		t.Fatal(err)
	}
	r.expect("sent1")
	if err := r.q.Lose(); err != nil {
		t.Fatal(err)
	}
	r.expect("sent1, gone1")
	if got := r.left(); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}

// A worker of Celery 5.2 acknowledges after it has looked whether it may ask: a command for
// nobody ends its sleep.
func TestAWorkerThatDoesNotAskIsWoken(t *testing.T) {
	r := startRig(t, true)
	send(t, r.q)
	m := r.take()
	heard := r.say.Subscribe(t.Context(), "/0."+remote)
	defer heard.Close()
	if _, err := heard.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.acknowledge(m)
	limited, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		said, err := heard.ReceiveMessage(limited)
		if err != nil {
			t.Fatalf("it is not woken: %v", err)
		}
		var command struct{ Destination []string }
		if err := json.Unmarshal(bodyOf([]byte(said.Payload)), &command); err != nil {
			t.Fatal(err)
		}
		if len(command.Destination) == 1 {
			return
		}
	}
}
