package twiceproof

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/job"
)

// heard is every statement with its arguments, in the order in which they were sent.
type heard struct {
	besides []string // off the path, so at no fixed place; and with the transaction's number

	mu   sync.Mutex
	said []string
	time bool // one of the arguments was a time
}

// token is 16 random bytes, in hex or as a UUID; a reference, which is one too, is a
// function of the key and so the same in every run.
var randomToken = regexp.MustCompile(`\b[0-9a-f]{32}\b`)

func (h *heard) say(statement string, args []driver.NamedValue) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if slices.Contains(h.besides, statement) {
		return
	}
	line := statement
	for _, a := range args {
		if _, is := a.Value.(time.Time); is {
			h.time = true
		}
		line += fmt.Sprintf("\n\t%v", a.Value)
	}
	h.said = append(h.said, line)
}

// take gives what was said since, with the tokens replaced by their places.
func (h *heard) take() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var seen []string
	for i, line := range h.said {
		h.said[i] = randomToken.ReplaceAllStringFunc(line, func(token string) string {
			if !slices.Contains(seen, token) {
				seen = append(seen, token)
			}
			return fmt.Sprint("token ", slices.Index(seen, token))
		})
	}
	said := h.said
	h.said = nil
	return said
}

type listeningConnector struct {
	faultyConnector
	heard *heard
}

func (c listeningConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.faultyConnector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return listeningConn{conn.(*faultyConn), c.heard}, nil
}

type listeningConn struct {
	*faultyConn
	heard *heard
}

func (c listeningConn) ExecContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Result, error) {
	c.heard.say(q, args)
	return c.faultyConn.ExecContext(ctx, q, args)
}

func (c listeningConn) QueryContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Rows, error) {
	c.heard.say(q, args)
	return c.faultyConn.QueryContext(ctx, q, args)
}

// listen makes the rig's connections heard.
func (r *rig) listen() *heard {
	s := statements(r.d.dialect, r.table)
	h := &heard{besides: []string{s.Repeat, dialect.NewPositional(s.Repeat).SQL, s.SealOwnRow}}
	_ = r.db.Close()
	r.db = sql.OpenDB(listeningConnector{faultyConnector{driver: r.plain.Driver(), dsn: r.dsn, faults: r.faults}, h})
	return h
}

// sayAll runs what the guard can meet, and gives what it said.
func (r *rig) sayAll(h *heard, worker string) (said []string) {
	r.t.Helper()
	guard := func(j job.Job) *Guard {
		g := r.guard(j)
		g.records.worker = worker
		return g
	}
	for _, s := range scenarios(r) {
		clear(r.till.charges)
		s.before(r, "k")
		h.take()
		if res, err := guard(s.job).Run(context.Background(), delivery("k"), s.acting(r)); err != nil || res.Outcome != s.want {
			r.t.Errorf("%s: %+v, %v", s.name, res, err)
		}
		said = append(said, h.take()...)
		r.exec("DELETE FROM " + r.table)
	}
	for range 2 {
		r.runTx(guard(ownRowJob()), "row")
	}
	for _, j := range everyPolicy() {
		r.vanish(r.guardOn(r.plain, j), "k", false)
		r.stale("k")
		r.swept(r.sweeper(j), applying(&pushes{}))
		r.exec("DELETE FROM " + r.table)
	}
	r.runBatch(guard(holdJob()), r.till.charge, delivery("a"), delivery("b"))
	said = append(said, h.take()...)
	for _, table := range []string{r.table, r.bookings()} {
		r.exec("DELETE FROM " + table)
	}
	clear(r.till.charges)
	return said
}

// A worker never tells the database a time: what it sends in the year 2000 and what it
// sends thirty years later are the same, whatever it meets.
func TestArgumentsHoldNoTime(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		h := r.listen()
		first := r.sayAll(h, "w")
		time.Sleep(30 * 365 * 24 * time.Hour)
		second := r.sayAll(h, "w")
		if len(first) < 50 || h.time {
			t.Errorf("%d statements; a time among their arguments: %v", len(first), h.time)
		}
		if len(first) != len(second) {
			t.Errorf("%d statements, then %d", len(first), len(second))
		}
		for i := range min(len(first), len(second)) {
			if first[i] != second[i] {
				t.Errorf("at first %s\nlater %s", first[i], second[i])
			}
		}
		// The control: an argument with a time in it is seen.
		if slices.Equal(first, r.sayAll(h, time.Now().String())) {
			t.Error("control: a worker's name with the time in it is not seen")
		}
	})
}

// The worker's own deadline is on the clock that no step moves.
func TestDeadlineIsOnTheMonotonicClock(t *testing.T) {
	monotonic := func(at time.Time) bool { return at != at.Round(0) }
	if monotonic(time.Now().Round(0)) || !monotonic(time.Now()) {
		t.Fatal("control: this does not tell the clocks apart")
	}
	onEach(t, func(t *testing.T, r *rig) {
		for _, j := range bothPolicies() {
			key := string(j.Stale.Policy)
			look := func(ctx context.Context, op *Operation) error {
				if at, is := ctx.Deadline(); is && !monotonic(at) {
					t.Errorf("%s: the context's is %s", key, at)
				}
				if !monotonic(op.Deadline()) {
					t.Errorf("%s: %s", key, op.Deadline())
				}
				if err := op.Renew(ctx); err != nil || !monotonic(op.Deadline()) {
					t.Errorf("%s: renewed: %s, %v", key, op.Deadline(), err)
				}
				return nil
			}
			if res := r.runWith(r.guard(j), key, look); !monotonic(res.Deadline) {
				t.Errorf("%s: %+v", key, res)
			}
			r.vanish(r.guard(lookupJob()), key+" stale", false)
			r.stale(key + " stale")
			r.runWith(r.guard(lookupJob()), key+" stale", look)
		}
	})
}
