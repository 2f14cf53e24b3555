package celery

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/wire"
)

// rig is a queue with one worker that is driven by hand, through its proxy. It says on the
// wire what a worker of Celery says.
type rig struct {
	*testing.T
	q    *Queue
	gate *wire.Gate
	say  *redis.Client
	step chan string // the ends of deliveries that the gate has seen
}

func startRig(t *testing.T, late bool) rig {
	t.Helper()
	var none Servers
	q, err := none.Start(t.Context(), Settings{Broker: Redis, Task: "billing.charge"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { q.Close() })
	r := rig{t, q, nil, nil, make(chan string, 100)}
	r.gate = wire.NewGate(func(e wire.Event) {
		q.Crossed("A", e)
		if e.Phase == wire.Forwarded && q.IsEnd("A", e.Step) {
			r.step <- e.Step.Text
		}
	})
	way, err := q.Listen(r.gate, "A")
	if err != nil {
		t.Fatal(err)
	}
	options, err := redis.ParseURL(way.Addresses().Broker)
	if err != nil {
		t.Fatal(err)
	}
	options.Protocol, options.DisableIdentity, options.MaxRetries = 2, true, -1
	r.say = redis.NewClient(options)
	t.Cleanup(func() { r.say.Close(); r.gate.Shut(); way.Close(); r.gate.Close() })
	r.obey(late)
	return r
}

// obey answers the remote commands, as a worker does that has one task.
func (r rig) obey(late bool) {
	r.Helper()
	heard := r.say.PSubscribe(r.Context(), "/0."+remote)
	if _, err := heard.Receive(r.Context()); err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { heard.Close() })
	word := map[bool]string{true: "True", false: "False"}[late]
	answers := map[string]string{
		"registered":    `{"celery@here": ["billing.charge [acks_late=` + word + `]", "other"]}`,
		"enable_events": `{"celery@here": {"ok": "task events enabled"}}`,
	}
	go func() {
		for said := range heard.Channel() {
			var command struct{ Method string }
			_ = json.Unmarshal(bodyOf([]byte(said.Payload)), &command)
			text := raw(map[string]any{"body": base64.StdEncoding.EncodeToString([]byte(answers[command.Method]))})
			r.say.LPush(r.Context(), "x."+answer, []byte(text))
		}
	}()
}

// poll asks for a task and says that it has it.
func (r rig) poll() message {
	r.Helper()
	got, err := r.say.BRPop(r.Context(), 10*time.Second, "celery", "celery\x06\x163").Result()
	if err != nil {
		r.Fatal(err)
	}
	m, ok := read([]byte(got[1]))
	if !ok {
		r.Fatalf("no task: %s", got[1])
	}
	return m
}

func (r rig) note(m message) {
	r.Helper()
	r.multi(func(p redis.Pipeliner) {
		p.ZAdd(r.Context(), index, redis.Z{Score: float64(time.Now().Unix()), Member: m.tag()})
		p.HSet(r.Context(), unacked, m.tag(), []byte(raw([]any{m, "", "celery"})))
	})
}

func (r rig) take() message {
	m := r.poll()
	r.note(m)
	return m
}

func (r rig) acknowledge(m message) {
	r.Helper()
	r.multi(func(p redis.Pipeliner) {
		p.ZRem(r.Context(), index, m.tag())
		p.HDel(r.Context(), unacked, m.tag())
	})
}

func (r rig) multi(say func(redis.Pipeliner)) {
	r.Helper()
	if _, err := r.say.TxPipelined(r.Context(), func(p redis.Pipeliner) error { say(p); return nil }); err != nil {
		r.Fatal(err)
	}
}

// tell publishes a task event.
func (r rig) tell(kind string, m message) {
	r.Helper()
	events := raw([]any{map[string]any{"type": kind, "uuid": m.id()}})
	text := raw(map[string]any{"body": base64.StdEncoding.EncodeToString(events)})
	if err := r.say.Publish(r.Context(), "/0.celeryev/task.multi", []byte(text)).Err(); err != nil {
		r.Fatal(err)
	}
}

// asksForOverdue is the question of a worker that starts.
func (r rig) asksForOverdue(visibility time.Duration) {
	r.Helper()
	ceiling := strconv.FormatFloat(float64(time.Now().Add(-visibility).UnixMilli())/1000, 'f', 3, 64)
	if err := r.say.Do(r.Context(), "ZRANGE", index, ceiling, "0", "BYSCORE", "REV", "LIMIT", "0", "10", "WITHSCORES").Err(); err != nil {
		r.Fatal(err)
	}
}

// putBack puts a copy on with a time, as a retry does.
func (r rig) putBack(m message, in time.Duration) {
	r.Helper()
	copied := m.again()
	copied.Headers["eta"] = raw(time.Now().Add(in).UTC().Format("2006-01-02T15:04:05.999999-07:00"))
	if err := r.say.LPush(r.Context(), "celery", copied.encode()).Err(); err != nil {
		r.Fatal(err)
	}
}

func (r rig) dies() {
	r.Helper()
	r.gate.Shut()
	if err := r.gate.Quiet(r.Context()); err != nil {
		r.Fatal(err)
	}
	r.q.Dead("A")
}

func (r rig) advance(d time.Duration) {
	r.Helper()
	if err := r.q.Advance(d); err != nil {
		r.Fatal(err)
	}
}

// left is what the list has now.
func (r rig) left() (all []message) {
	r.Helper()
	for _, text := range r.q.broker.(*redisBroker).Client.LRange(r.Context(), "celery", 0, -1).Val() {
		m, _ := read([]byte(text))
		all = append(all, m)
	}
	return all
}

func (r rig) expect(want string) {
	r.Helper()
	if got := told(r.q); got != want {
		r.Errorf("told %q, want %q", got, want)
	}
}

func told(q *Queue) string {
	var all []string
	for _, e := range q.Look().Events {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s%d %s", e.Kind, e.Copy, e.Worker)))
	}
	return strings.Join(all, ", ")
}

func send(t *testing.T, q *Queue) string {
	t.Helper()
	id, err := q.Send(queue.Message{Body: `{"args": ["o1"], "kwargs": {"amount": 12345678901234567890}}`})
	if err != nil {
		t.Fatal(err)
	}
	return id
}
