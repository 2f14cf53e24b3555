package rq

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/internal/testreplay"
	"github.com/twiceproof/twiceproof/wire"
)

// RQ's own look for dead ones leaves what the replay's does, and is told alike.
func TestRQsOwnLook(t *testing.T) {
	for body, want := range map[string]string{
		`{"args": ["o1"], "retries_left": 1}`:                               "visibility_over1",
		`{"args": ["o1"], "retries_left": 2, "retry_intervals": [7200]}`:    "visibility_changed1 B",
		`{"args": ["o1"], "retries_left": 1, "retry_intervals": [0, 3600]}`: "visibility_changed1 B",
		`{"args": ["o1"], "retries_left": 3, "retry_intervals": [0, 3600]}`: "visibility_over1",
		`{"args": ["o1"]}`: "dead_lettered1 B",
	} {
		var states []string
		for _, look := range []func(rig){func(r rig) { r.advance(95 * time.Second) }, looksItself} {
			r := start(t, "jobs.waits")
			a := r.worker("A")
			id := r.send(body)
			r.begins(1)
			a.kill()
			look(r)
			states = append(states, r.state(id))
			if len(states) == 2 {
				r.expect("sent1, received1 A, " + want)
			}
		}
		if retried := !strings.HasPrefix(want, "dead"); (states[0] == states[1]) != retried { // what is given up is put on by force
			t.Errorf("%s: the replay leaves %s, RQ %s", body, states[0], states[1])
		}
	}
}

// looksItself runs RQ's own look, as a worker's: what it says is seen.
func looksItself(r rig) {
	const look = "import sys; from redis import Redis; from rq.registry import StartedJobRegistry; " +
		"StartedJobRegistry(connection=Redis.from_url(sys.argv[1])).cleanup(timestamp=4102444800)"
	r.Helper()
	gate := wire.NewGate(nil)
	way, err := r.q.Listen(gate, "B")
	if err != nil {
		r.Fatal(err)
	}
	defer gate.Close()
	defer way.Close()
	r.q.Lock()
	r.q.Jump(95 * time.Second)
	r.q.Unlock()
	command := exec.CommandContext(r.Context(), testreplay.Interpreter(r.T, "python/bin/python", "bin/python"), "-c", look, way.Addresses().Broker)
	if out, err := command.CombinedOutput(); err != nil {
		r.Fatalf("%v: %s", err, out)
	}
}

// state is where a job is, and what its hash says of that.
func (r rig) state(id string) string {
	c, ctx := r.redis(), r.Context()
	return fmt.Sprint(c.HMGet(ctx, jobPrefix+id, "status", "retries_left").Val(), c.LRange(ctx, queuePrefix+standard, 0, -1).Val() != nil && c.LLen(ctx, queuePrefix+standard).Val() > 0,
		c.ZCard(ctx, startedPrefix+standard).Val(), c.ZCard(ctx, scheduledPrefix+standard).Val(), c.ZCard(ctx, failedPrefix+standard).Val(), c.LLen(ctx, queuePrefix+standard+between).Val())
}
