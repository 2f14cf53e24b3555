package celery

import (
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// What is off its queue and not noted is lost when the connection ends there, though the
// worker lives; what is noted comes again when that is overdue; what has come is at work.
func TestRedisConnectionCut(t *testing.T) {
	for _, c := range []struct {
		name  string
		match func(wire.Step) bool
		side  wire.Side
		want  string
	}{
		{"before the delivery", isDelivery, wire.Before, "sent1, received1 A, lost1 A, redelivered2, received2 A"},
		{"after the delivery", isDelivery, wire.After, "sent1, received1 A"},
		{"before the note", isNote, wire.Before, "sent1, received1 A, lost1 A, redelivered2, received2 A"},
		{"after the note", isNote, wire.After, "sent1, received1 A, visibility_over1, received1 A"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := startRig(t, true)
			r.asksForOverdue(time.Minute)
			cut := r.gate.Arm(wire.Fault{Match: c.match, Side: c.side, Do: wire.Drop})
			send(t, r.q)
			got, err := r.say.BRPop(t.Context(), 10*time.Second, "celery", "celery\x06\x163").Result()
			if err == nil { // and else it is cut there
				m, _ := read([]byte(got[1]))
				_, _ = r.say.TxPipelined(t.Context(), func(p redis.Pipeliner) error {
					p.ZAdd(t.Context(), index, redis.Z{Score: float64(time.Now().Unix()), Member: m.tag()})
					p.HSet(t.Context(), unacked, m.tag(), []byte(raw([]any{m, "", "celery"})))
					return nil
				})
			}
			wiretest.Fires(t, cut)
			if strings.Count(c.want, "received") > 1 {
				if err := r.q.Advance(2 * time.Minute); err != nil {
					t.Fatal(err)
				}
				r.poll()
			}
			r.expect(c.want)
		})
	}
}

func isDelivery(s wire.Step) bool { return s.Text == "Deliver celery" }
