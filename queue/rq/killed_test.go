package rq

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// What a dead worker had in hand is put on again where it has a retry left, and given up
// where not; then it is put on by force. Not before RQ would look for it.
func TestAWorkerThatDies(t *testing.T) {
	for body, want := range map[string]string{
		`{"args": ["o1"], "retries_left": 1}`:                            "visibility_over1",
		`{"args": ["o1"], "retries_left": 1, "retry_intervals": [3600]}`: "visibility_changed1",
		`{"args": ["o1"]}`: "abandoned1, redelivered2",
	} {
		t.Run(want, func(t *testing.T) {
			r := start(t, "jobs.waits")
			a := r.worker("A")
			id := r.send(body)
			r.begins(1)
			a.kill()
			r.advance(80 * time.Second)
			r.expect("sent1, received1 A")
			r.advance(15 * time.Second)
			r.expect("sent1, received1 A, " + want)
			if left := r.redis().ZCard(t.Context(), startedPrefix+standard).Val(); left != 0 {
				t.Errorf("%d are in the started registry", left)
			}
			if retries := r.redis().HGet(t.Context(), jobPrefix+id, "retries_left").Val(); retries == "1" {
				t.Error("no retry was taken")
			}
			r.advance(61 * time.Minute)
			r.goOn()
			r.worker("B")
			r.begins(2)
			r.idle("B")
			if told := r.told(); !strings.HasSuffix(told, "deleted1 B") && !strings.HasSuffix(told, "deleted2 B") {
				t.Error(told)
			}
		})
	}
}

// The work horse alone: its worker lives, and does what it does for a job that fails.
func TestAHorseThatDies(t *testing.T) {
	for body, want := range map[string]string{
		`{"args": ["o1"], "retries_left": 1, "retry_intervals": [3600]}`: "visibility_changed1 A", `{"args": ["o1"]}`: "dead_lettered1 A",
	} {
		r := start(t, "jobs.waits")
		a := r.worker("A")
		r.send(body)
		r.begins(1)
		a.killHorse()
		r.idle("A")
		r.expect("sent1, received1 A, " + want)
	}
}

// What was taken and not begun: a worker with one queue leaves it in the intermediate list,
// one with several nowhere.
func TestAWorkerThatDiesBeforeItBegins(t *testing.T) {
	oneQueue, several := []string{"worker", "default"}, []string{"worker", "high", "default"}
	for name, c := range map[string]struct {
		arguments []string
		at        string // the step that is held when it is killed
		after     time.Duration
		want      string
	}{
		"taken":                   {oneQueue, "HGETALL ", twoLooks + time.Minute, "abandoned1, redelivered2"},
		"in the registry":         {oneQueue, "LREM ", 95 * time.Second, "abandoned1, redelivered2"},
		"of several, taken":       {several, "HGETALL ", time.Second, "lost1 A, redelivered2"},
		"of several, in registry": {several, "PERSIST ", 95 * time.Second, "lost1, redelivered2"},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, "jobs.succeeds")
			a := r.worker("A", c.arguments...)
			held := a.gate.Arm(wire.Fault{Match: func(s wire.Step) bool {
				return slices.ContainsFunc(strings.Split(s.Text, "; "), func(one string) bool { return strings.HasPrefix(one, c.at) })
			}, Do: wire.Hold})
			r.send(`{"args": ["o1"]}`)
			wiretest.Fires(t, held)
			a.kill()
			r.advance(c.after)
			r.expect("sent1, received1 A, " + c.want)
			r.worker("B")
			r.begins(1)
			r.idle("B")
		})
	}
}

// A worker whose connection ends before it has what it took lives on without it.
func TestADeliveryThatIsCut(t *testing.T) {
	for want, arguments := range map[string][]string{
		"sent1, received1 A, abandoned1, redelivered2": {"worker", "default"}, "sent1, received1 A, lost1 A, redelivered2": {"worker", "high", "default"},
	} {
		r := start(t, "jobs.succeeds")
		a := r.worker("A", arguments...)
		cut := a.gate.Arm(wire.Fault{Match: func(s wire.Step) bool { return strings.HasPrefix(s.Text, "Deliver ") }, Do: wire.Drop})
		r.send(`{"args": ["o1"]}`)
		wiretest.Fires(t, cut)
		r.idle("A")
		r.advance(twoLooks + time.Minute)
		if told := r.told(); !strings.HasPrefix(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
		r.begins(1)
		r.idle("A")
	}
}

// A worker that stands still for too long is taken for dead. It finishes when it wakes up.
func TestAWorkerThatIsPaused(t *testing.T) {
	r := start(t, "jobs.waits")
	a := r.worker("A")
	r.send(`{"args": ["o1"], "retries_left": 1}`)
	r.begins(1)
	a.pause()
	r.advance(95 * time.Second)
	r.worker("B")
	r.begins(2)
	r.goOn()
	r.idle("B")
	a.process.SignalAll(syscall.SIGCONT)
	r.idle("A", "B")
	r.expect("sent1, received1 A, visibility_over1, received1 B, deleted1 B")
}

// A copy that another one has finished for is forgotten; so it is not delivered again.
func TestACopyThatIsForgotten(t *testing.T) {
	r := start(t, "jobs.waits")
	a := r.worker("A")
	id := r.send(`{"args": ["o1"], "retries_left": 3}`)
	r.begins(1)
	if err := r.q.Redeliver(id); err != nil {
		t.Fatal(err)
	}
	a.kill()
	r.goOn()
	r.worker("B")
	r.idle("B")
	r.advance(95 * time.Second)
	r.expect("sent1, received1 A, redelivered2, received2 B, deleted2 B, deleted1")
}

// SIGTERM to the group lets the work horse finish, which is in a group of its own.
func TestWarmShutdown(t *testing.T) {
	r := start(t, "jobs.waits")
	a := r.worker("A")
	r.send(`{"args": ["o1"]}`)
	r.begins(1)
	a.process.Signal(syscall.SIGTERM)
	r.goOn()
	r.until("ended", a.process.HasExited)
	if a.process.Err != nil {
		t.Error(a.process.Err)
	}
	r.expect("sent1, received1 A, deleted1 A")
}

// What is lost is in no list and no registry, and no worker gets it.
func TestLose(t *testing.T) {
	r := start(t, "jobs.waits")
	a := r.worker("A")
	id := r.send(`{"args": ["o1"], "retries_left": 3}`)
	r.begins(1)
	r.send(`{"args": ["o2"]}`)
	a.kill()
	if err := r.q.Lose(); err != nil {
		t.Fatal(err)
	}
	r.advance(24 * time.Hour)
	r.worker("B")
	r.idle("B")
	r.expect("sent1, received1 A, sent1, gone1, gone1")
	if err := r.q.Redeliver(id); err != nil { // the control: it would be seen
		t.Fatal(err)
	}
	r.begins(2)
}
