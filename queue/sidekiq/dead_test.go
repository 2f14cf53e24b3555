package sidekiq

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/twiceproof/twiceproof/queue"
)

func TestDeadAndWhy(t *testing.T) {
	r := start(t)
	for _, c := range []struct {
		given map[string]any
		why   string
	}{
		{map[string]any{"error_class": "RuntimeError", "retry": 2, "retry_count": 2}, "no retry is left"},
		{map[string]any{"error_class": "RuntimeError", "retry": 0, "retry_count": 0}, "no retry is left"},
		{map[string]any{"error_class": "RuntimeError", "retry": true, "retry_count": 25}, "no retry is left"},
		{map[string]any{"error_class": "RuntimeError", "retry_for": 60, "retry_count": 1}, "no retry is left"},
		{map[string]any{"error_class": "RuntimeError", "retry": 2, "retry_count": 1}, "no retry is wanted: sidekiq_retry_in says :kill, or max_retries is lower"},
		{map[string]any{"retry": 2}, "it was put into the set dead, by no error of its job"},
	} {
		r.send()
		job := map[string]any{}
		if err := json.Unmarshal([]byte(r.poll()), &job); err != nil {
			t.Fatal(err)
		}
		maps.Copy(job, c.given)
		text, err := json.Marshal(job)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.say.ZAdd(t.Context(), deadSet, redis.Z{Score: 1, Member: text}).Err(); err != nil {
			t.Fatal(err)
		}
		events := r.q.Look().Events
		if last := events[len(events)-1]; last.Kind != queue.DeadLettered || last.Why != c.why {
			t.Errorf("%v: %s, %q", c.given, last.Kind, last.Why)
		}
	}
}
