package sidekiq

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/wire"
)

// reliable is a worker of gitlab-sidekiq-fetcher, driven by hand.
type reliable struct {
	rig
	identity string
}

const (
	hour = time.Hour
	beat = time.Minute
)

// startReliable is one that has said that it lives and has looked for dead ones, if it may.
func startReliable(r rig) reliable {
	r.Helper()
	w := reliable{r, "host:1:" + strings.Repeat(strings.ToLower(r.name), 12)}
	if err := r.say.Set(r.Context(), w.heart(), 1, beat).Err(); err != nil {
		r.Fatal(err)
	}
	w.look()
	return w
}

func (w reliable) heart() string { return beatOf(w.identity) }
func (w reliable) list() string  { return "working:queue:default:" + w.identity }

// ask is one poll.
func (w reliable) ask() (payload string) {
	w.Helper()
	payload, err := w.say.Do(w.Context(), "RPOPLPUSH", "queue:default", w.list()).Text()
	if err != nil && err != redis.Nil {
		w.Fatal(err)
	}
	return payload
}

func (w reliable) acknowledge(payload string) int64 {
	w.Helper()
	n, err := w.say.LRem(w.Context(), w.list(), 1, payload).Result()
	if err != nil {
		w.Fatal(err)
	}
	return n
}

// look does what the fetcher does: it takes the lock, or leaves it; then it puts back, with a
// count, what is in lists whose worker has no heartbeat.
func (w reliable) look() {
	w.Helper()
	ctx := w.Context()
	if !w.say.SetNX(ctx, lookLock, 1, hour).Val() {
		return
	}
	for _, list := range w.say.Keys(ctx, "working:queue:*").Val() {
		_, identity, _ := ownList(list)
		if w.say.Exists(ctx, beatOf(identity)).Val() > 0 {
			continue
		}
		for payload := w.say.RPop(ctx, list).Val(); payload != ""; payload = w.say.RPop(ctx, list).Val() {
			text, err := interruptedAgain([]byte(payload))
			if err != nil {
				w.Fatal(err)
			}
			w.say.LPush(ctx, "queue:default", text)
		}
	}
}

func (w reliable) advance(d time.Duration) {
	w.Helper()
	if err := w.q.Advance(d); err != nil {
		w.Fatal(err)
	}
}

func counted(t *testing.T, payload string) (n int) {
	t.Helper()
	var j struct {
		Count int `json:"interrupted_count"`
	}
	if err := json.Unmarshal([]byte(payload), &j); err != nil {
		t.Fatalf("%q: %v", payload, err)
	}
	return j.Count
}

// It asks whether or not it was answered, and its acknowledgement is the end.
func TestReliableEndsWithItsAcknowledgement(t *testing.T) {
	w := startReliable(start(t))
	w.ask()
	if s := w.q.Look(); !s.Asking["A"] || !s.Idle["A"] || s.AskedEvery != askPause {
		t.Errorf("between two polls: %+v", s)
	}
	w.send()
	payload := w.ask()
	if s := w.q.Look(); s.Idle["A"] || s.InFlight != 1 {
		t.Errorf("at work: %+v", s)
	}
	w.ask() // of another thread: ends nothing
	w.expect("sent1, received1 A")
	ack := wire.Step{Peer: queue.Peer, Text: "LREM working:queue:default:?"}
	if !w.q.IsEnd("A", ack) {
		t.Error("its acknowledgement is not known")
	}
	w.acknowledge(payload)
	w.expect("sent1, received1 A, deleted1 A")
	if s := w.q.Look(); !s.Idle["A"] || s.Left() != 0 || s.NextDue || w.q.IsEnd("A", ack) {
		t.Errorf("idle: %+v", s)
	}
}

// The one that starts when heartbeat and lock are over puts it back by itself, not before.
func TestReliableADeadWorkersJobComesByItself(t *testing.T) {
	w := startReliable(start(t))
	w.send()
	payload := w.ask()
	w.die()
	if s := w.q.Look(); s.InFlight != 1 || !s.NextDue || s.Due < hour-beat || s.Due > hour+time.Second {
		t.Errorf("dead: %+v", s)
	}
	w.advance(hour - beat)
	early := startReliable(worker(t, w.q, "B"))
	if got := early.ask(); got != "" {
		t.Fatalf("there before its time: %s", got)
	}
	early.die()
	w.advance(2 * beat)
	w.expect("sent1, received1 A")
	late := startReliable(worker(t, w.q, "C"))
	again := late.ask()
	w.expect("sent1, received1 A, visibility_over1, received1 C")
	if counted(t, payload) != 0 || counted(t, again) != 1 {
		t.Errorf("%s, then %s", payload, again)
	}
}

// Who looks while the dead one's heartbeat is not over leaves its job, for an hour more.
func TestReliableALookTooEarly(t *testing.T) {
	first := startReliable(start(t))
	first.die()
	first.advance(hour - beat/2)
	w := startReliable(worker(t, first.q, "B"))
	w.send()
	w.ask()
	w.die()
	if s := w.q.Look(); s.Due < beat/2+time.Second || s.Due > beat+time.Second {
		t.Errorf("dead: %+v", s)
	}
	w.advance(beat/2 + time.Second)
	last := startReliable(worker(t, w.q, "C"))
	if got := last.ask(); got != "" {
		t.Fatalf("taken from one that counts as alive: %s", got)
	}
	w.advance(beat)
	if got := last.ask(); got != "" {
		t.Fatalf("there before the next look: %s", got)
	}
	w.advance(hour)
	if got := last.ask(); got == "" {
		t.Error("not there after the next look")
	}
}

// One that is idle would look some minutes later: it is done for it.
func TestReliableAnIdleWorkerGetsIt(t *testing.T) {
	r := start(t)
	a, b := startReliable(r), startReliable(worker(t, r.q, "B"))
	b.ask()
	a.send()
	a.ask()
	a.die()
	a.advance(hour + time.Second)
	a.expect("sent1, received1 A, visibility_over1")
	if again := b.ask(); counted(t, again) != 1 {
		t.Errorf("again: %s", again)
	}
	if n := a.q.Client.Exists(t.Context(), a.list()).Val(); n != 0 {
		t.Error("it is in the dead one's list, too")
	}
}

// What a paused worker has comes to another one; its own acknowledgement then ends nothing.
func TestReliableAPausedWorker(t *testing.T) {
	a := startReliable(start(t))
	a.send()
	payload := a.ask()
	a.advance(hour + time.Second)
	b := startReliable(worker(t, a.q, "B"))
	again := b.ask()
	if s := a.q.Look(); s.Idle["A"] {
		t.Error("it is idle before it has gone on and asked")
	}
	if n := a.acknowledge(payload); n != 0 {
		t.Errorf("%d in its list", n)
	}
	a.expect("sent1, received1 A, visibility_over1, received1 B")
	if a.ask(); !a.q.Look().Idle["A"] {
		t.Error("it has asked, and is not idle")
	}
	b.acknowledge(again)
	a.expect("sent1, received1 A, visibility_over1, received1 B, deleted1 B")
}

// A retry is written before the acknowledgement. Who dies between has put on a second one.
func TestReliableDeadBetweenRetryAndAcknowledgement(t *testing.T) {
	for _, dies := range []bool{false, true} {
		a := startReliable(start(t))
		a.send()
		payload := a.ask()
		at := float64(time.Now().Add(30 * time.Second).Unix())
		if err := a.say.ZAdd(t.Context(), retry, redis.Z{Score: at, Member: payload}).Err(); err != nil {
			t.Fatal(err)
		}
		want := "sent1, received1 A, visibility_changed1 A, visibility_over1"
		if dies {
			want += ", visibility_over2"
		} else {
			a.acknowledge(payload)
		}
		a.die()
		a.advance(hour + time.Second)
		startReliable(worker(t, a.q, "B"))
		a.expect(want)
	}
}

// A worker that stops gives back with a count; after three it gives up.
func TestReliableStop(t *testing.T) {
	a := startReliable(start(t))
	a.send()
	payload := a.ask()
	_, err := a.say.TxPipelined(t.Context(), func(p redis.Pipeliner) error {
		p.LPush(t.Context(), "queue:default", payload)
		p.LRem(t.Context(), a.list(), 1, payload)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	a.expect("sent1, received1 A, visibility_changed1 A")
	payload = a.ask()
	_, err = a.say.TxPipelined(t.Context(), func(p redis.Pipeliner) error {
		p.ZAdd(t.Context(), interrupted, redis.Z{Score: 1, Member: payload})
		p.LRem(t.Context(), a.list(), 1, payload)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	a.expect("sent1, received1 A, visibility_changed1 A, received1 A, dead_lettered1 A")
}

// The half-reliable fetch pops first and notes then: what dies between is lost.
func TestSemiReliable(t *testing.T) {
	for noted, want := range map[bool]string{
		true: "sent1, received1 A, visibility_over1", false: "sent1, received1 A, lost1 A, redelivered2",
	} {
		a := startReliable(start(t))
		a.send()
		payload := a.poll()
		if noted {
			a.say.LPush(t.Context(), a.list(), payload)
		}
		a.die()
		a.advance(hour + time.Second)
		startReliable(worker(t, a.q, "B"))
		a.expect(want)
	}
}

// What the queue loses is in no list either, also where it was put back before.
func TestReliableLose(t *testing.T) {
	a := startReliable(start(t))
	for want, putBack := range map[string]bool{"received1 A, gone1": false, "received1 A, visibility_changed1 A, gone1": true} {
		id := a.send()
		payload := a.ask()
		if putBack {
			a.say.ZAdd(t.Context(), retry, redis.Z{Score: float64(time.Now().Add(hour).Unix()), Member: payload})
		}
		if err := a.q.Lose(); err != nil {
			t.Fatal(err)
		}
		if n := a.q.Client.Exists(t.Context(), a.list(), retry).Val(); n != 0 {
			t.Errorf("%s: it is in %d lists", id, n)
		}
		if !strings.HasSuffix(a.told(), want) {
			t.Errorf("told %q, want %q", a.told(), want)
		}
	}
}
