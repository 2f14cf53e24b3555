package sidekiq

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/wire"
)

// rig is a queue with one worker that is driven by hand, through its proxy.
type rig struct {
	*testing.T
	name string
	q    *Queue
	gate *wire.Gate
	say  *redis.Client
}

func start(t *testing.T) rig {
	t.Helper()
	q, err := Start(t.Context(), "ChargeJob")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { q.Close() })
	return worker(t, q, "A")
}

// worker is one more that is driven by hand.
func worker(t *testing.T, q *Queue, name string) rig {
	t.Helper()
	gate := wire.NewGate(func(e wire.Event) { q.Crossed(name, e) })
	way, err := q.Listen(gate, name)
	if err != nil {
		t.Fatal(err)
	}
	options, err := redis.ParseURL(way.Addresses().Broker)
	if err != nil {
		t.Fatal(err)
	}
	options.Protocol, options.DisableIdentity, options.MaxRetries = 2, true, -1
	say := redis.NewClient(options)
	t.Cleanup(func() { say.Close(); gate.Shut(); way.Close(); gate.Close() })
	return rig{t, name, q, gate, say}
}

// poll asks for a job as an idle thread does.
func (r rig) poll() (payload string) {
	r.Helper()
	got, err := r.say.BRPop(r.Context(), 5*time.Second, "queue:default").Result()
	if err != nil {
		r.Fatal(err)
	}
	return got[1]
}

// askInVain is a poll that finds nothing, which ends what is in hand.
func (r rig) askInVain() {
	r.Helper()
	if err := r.say.BRPop(r.Context(), time.Second, "queue:default").Err(); err != redis.Nil {
		r.Fatal(err)
	}
}

func (r rig) die() {
	r.Helper()
	r.gate.Shut()
	if err := r.gate.Quiet(r.Context()); err != nil {
		r.Fatal(err)
	}
	r.q.Dead(r.name)
}

func (r rig) told() string {
	var all []string
	for _, e := range r.q.Look().Events {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s%d %s", e.Kind, e.Copy, e.Worker)))
	}
	return strings.Join(all, ", ")
}

func (r rig) expect(want string) {
	r.Helper()
	if got := r.told(); got != want {
		r.Errorf("told %q, want %q", got, want)
	}
}

func (r rig) send() string {
	r.Helper()
	id, err := r.q.Send(queue.Message{Body: `{"args": ["o1", 12345678901234567890]}`})
	if err != nil {
		r.Fatal(err)
	}
	return id
}

// The job is whole, as Sidekiq's own client makes it, and every digit stays.
func TestPayload(t *testing.T) {
	r := start(t)
	id := r.send()
	var got map[string]any
	d := json.NewDecoder(strings.NewReader(r.poll()))
	d.UseNumber()
	if err := d.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got["args"]) != "[o1 12345678901234567890]" || got["jid"] != id || got["class"] != "ChargeJob" || got["queue"] != "default" || got["retry"] != true {
		t.Errorf("%v", got)
	}
	if created, err := got["created_at"].(json.Number).Float64(); err != nil || time.Since(time.Unix(int64(created), 0)).Abs() > time.Minute {
		t.Errorf("created_at %v", got["created_at"])
	}
	for _, body := range []string{"no json", `["args"]`, `{"queue": 7}`} {
		if _, err := r.q.Send(queue.Message{Body: body}); err == nil {
			t.Errorf("%s was put on", body)
		}
	}
}

func TestASuccessEndsWithTheNextPoll(t *testing.T) {
	r := start(t)
	r.send()
	r.poll()
	r.expect("sent1, received1 A")
	r.askInVain()
	r.expect("sent1, received1 A, deleted1 A")
}

// beats is a heartbeat.
func (r rig) beats(fields ...any) {
	r.Helper()
	if err := r.say.HSet(r.Context(), "host:1:abc", fields...).Err(); err != nil {
		r.Fatal(err)
	}
}

// The poll of one thread does not end what another one has in hand. The control is above.
func TestThreadsByTheHeartbeat(t *testing.T) {
	for version, beat := range map[string][]any{
		"7":   {"info", `{"version": "7.3.2", "concurrency": 2}`, "busy", 1},
		"8.1": {"info", `{"version": "8.1.7", "capsules": {"default": {"concurrency": 2}}}`, "concurrency", 2, "busy", 1},
	} {
		t.Run(version, func(t *testing.T) {
			r := start(t)
			r.beats(beat...)
			r.send()
			r.poll()
			r.askInVain()
			r.expect("sent1, received1 A")
		})
	}
}

// A put back has the time of the worker's clock, whatever time was let pass.
func TestPutBackAndItsTime(t *testing.T) {
	r := start(t)
	if err := r.q.Advance(time.Hour); err != nil {
		t.Fatal(err)
	}
	r.send()
	payload := r.poll()
	at := float64(time.Now().Add(time.Minute).UnixMicro()) / 1e6
	if err := r.say.ZAdd(t.Context(), schedule, redis.Z{Score: at, Member: payload}).Err(); err != nil {
		t.Fatal(err)
	}
	r.askInVain()
	if d := r.q.Look().Due; d < 30*time.Second || d > time.Minute+time.Second {
		t.Errorf("due in %s", d)
	}
	if err := r.q.Advance(time.Minute + time.Second); err != nil {
		t.Fatal(err)
	}
	if again := r.poll(); again != payload {
		t.Errorf("%s, want %s", again, payload)
	}
	r.expect("sent1, received1 A, visibility_changed1 A, visibility_over1, received1 A")
	if n := r.say.ZCard(t.Context(), schedule).Val(); n != 0 {
		t.Errorf("%d left in schedule", n)
	}
}

// A poll that is open when its worker dies takes no job: whoever comes next gets it.
func TestADeadWorkerLosesItsJobAndTakesNoOther(t *testing.T) {
	r := start(t)
	r.beats("info", `{"concurrency": 2}`)
	r.send()
	payload := r.poll()
	open := make(chan error, 1)
	go func() { open <- r.say.BRPop(t.Context(), time.Minute, "queue:urgent").Err() }()
	if err := r.q.Wait(t.Context(), func(s queue.Snapshot) bool { return s.Asking["A"] }); err != nil {
		t.Fatal(err)
	}
	r.die()
	<-open
	if n := r.q.Client.LLen(t.Context(), "queue:default").Val(); n != 0 {
		t.Fatalf("%d are left: nothing was lost", n)
	}
	if err := r.q.Advance(time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if got := r.q.Client.RPop(t.Context(), "queue:default").Val(); got != payload {
		t.Errorf("put on again: %s, want %s", got, payload)
	}
}

// What is no worker is seen, too: its own enqueuers and the sweep.
func TestWhatOthersPutOnIsSeen(t *testing.T) {
	r := start(t)
	options, err := redis.ParseURL(r.q.Direct().Broker)
	if err != nil {
		t.Fatal(err)
	}
	options.Protocol, options.DisableIdentity = 2, true
	other := redis.NewClient(options)
	defer other.Close()
	if err := other.LPush(t.Context(), "queue:default", `{"jid": "j1", "class": "ChargeJob", "args": []}`).Err(); err != nil {
		t.Fatal(err)
	}
	r.expect("sent1")
	r.poll()
	if err := r.q.Lose(); err != nil {
		t.Fatal(err)
	}
	r.expect("sent1, received1 A, gone1")
}

// The stop of a worker: what it gives back is there, and the rest is done with.
func TestAWorkerThatStops(t *testing.T) {
	r := start(t)
	if err := r.say.SAdd(t.Context(), "processes", "host:1:abc").Err(); err != nil {
		t.Fatal(err)
	}
	r.send()
	payload := r.poll()
	r.say.RPush(t.Context(), "queue:default", payload)
	r.say.SRem(t.Context(), "processes", "host:1:abc")
	r.expect("sent1, received1 A, visibility_changed1 A")
	r.poll()
	r.say.SRem(t.Context(), "processes", "host:1:abc")
	r.expect("sent1, received1 A, visibility_changed1 A, received1 A, deleted1 A")
}

func TestTwoAtOnce(t *testing.T) {
	r := start(t)
	if _, err := r.q.SendTwice(queue.Message{Body: `{"args": []}`}); err != nil {
		t.Fatal(err)
	}
	if a, b := r.poll(), r.poll(); a != b {
		t.Errorf("two jobs: %s, %s", a, b)
	}
	if err := r.q.SendPair(queue.Message{Body: `{"args": []}`}); err != nil {
		t.Fatal(err)
	}
	if a, b := r.poll(), r.poll(); a == b {
		t.Errorf("one job twice: %s", a)
	}
	if v := r.q.Versions()["redis"]; v == "" || v == "unknown" {
		t.Errorf("version %q", v)
	}
}
