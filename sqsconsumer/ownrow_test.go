package sqsconsumer

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/job"
	lab "github.com/twiceproof/twiceproof/lab/sqs"
)

func ownRowJob() job.Job {
	j := holdJob()
	j.Effect, j.Stale = job.Effect{Kind: job.OwnRow, What: "a row"}, job.Stale{}
	return j
}

// book is the body: one row.
func book(ctx context.Context, tx *sql.Tx, op *twiceproof.Operation) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO effects (k) VALUES ($1)", op.Key)
	return err
}

func (r *rig) bookingConsumer() Consumer {
	c := r.consumer(ownRowJob())
	c.Act, c.ActTx = nil, book
	return c
}

func (r *rig) wantRows(key string, want int) {
	r.t.Helper()
	var n int
	if err := r.db.QueryRowContext(r.ctx, "SELECT count(*) FROM effects WHERE k = $1", key).Scan(&n); err != nil {
		r.t.Fatal(err)
	}
	if n != want {
		r.t.Errorf("%d rows of %s, want %d", n, key, want)
	}
}

func TestOwnRow(t *testing.T) {
	onEach(t, 3, func(t *testing.T, r *rig) {
		first := r.send("1")
		r.start(r.bookingConsumer())
		r.untilKinds(lab.Deleted, 1)
		r.wantRecord("1", "completed")
		second := r.send("1")
		r.untilKinds(lab.Deleted, 2)
		r.wantKinds(first, "sent received deleted")
		r.wantKinds(second, "sent received deleted")
		r.wantRows("1", 1)
	})
}

// A rolled-back own row goes the queue's own way: no hot loop, no put back.
func TestOwnRowThatIsRolledBack(t *testing.T) {
	onEach(t, 3, func(t *testing.T, r *rig) {
		c := r.bookingConsumer()
		failed := false
		c.ActTx = func(ctx context.Context, tx *sql.Tx, op *twiceproof.Operation) error {
			if err := book(ctx, tx, op); err != nil || failed {
				return err
			}
			failed = true
			return errors.New("no stock")
		}
		id := r.send("1")
		r.start(c)
		r.untilKinds(lab.Received, 1)
		r.untilIdle(1)
		r.wantKinds(id, "sent received")
		r.wantRecord("1", "none")
		r.wantRows("1", 0)
		r.Advance(30 * time.Second)
		r.untilKinds(lab.Deleted, 1)
		r.wantKinds(id, "sent received visibility_over received deleted")
		r.wantRows("1", 1)
	})
}

// Nobody can see how long another's transaction will take: copies wait from a
// second on, twice as long each time, up to the lease.
func TestOwnRowThatIsLive(t *testing.T) {
	t.Parallel()
	r := newRigOn(t, 0, twiceproof.Postgres) // in SQLite the claim waits for the writer
	c := r.bookingConsumer()
	entered, open := make(chan string, 1), make(chan struct{})
	c.ActTx = func(ctx context.Context, tx *sql.Tx, op *twiceproof.Operation) error {
		entered <- op.Key
		<-open
		return book(ctx, tx, op)
	}
	c.Workers, c.Visibility = 2, lease
	r.send("1")
	r.start(c)
	take(r, entered)
	id := r.send("1")
	for i, seconds := range []int{1, 2, 4, 8, 16, 32, 60, 60} {
		want := time.Duration(seconds) * time.Second
		r.until("a put back", renewed(id, i+1))
		r.until("an idle worker", func(s lab.Snapshot) bool { return s.Polling == 1 })
		var puts []time.Duration
		for _, e := range r.events(lab.VisibilityChanged) {
			if e.MessageID == id {
				puts = append(puts, e.Visibility)
			}
		}
		if len(puts) != i+1 || puts[i] < want || puts[i] > want+want/10+2*time.Second {
			t.Errorf("put back for %s, want the last about %s", puts, want)
		}
		r.Advance(puts[i])
	}
	close(open)
	r.until("an end", func(s lab.Snapshot) bool {
		return count(s.Events, lab.Deleted, "")+count(s.Events, lab.DeleteStale, "") >= 1
	})
	for r.Counts(queueName).Visible+r.Counts(queueName).InFlight > 0 {
		r.Advance(2 * lease)
		r.until("idle workers or the end", func(s lab.Snapshot) bool { return s.Polling == 2 || s.Visible+s.InFlight == 0 })
	}
	r.wantRows("1", 1)
	r.wantRecord("1", "completed")
}

func TestBackOff(t *testing.T) {
	for receives, want := range map[string]int{"1": 1, "2": 2, "5": 16, "7": 60, "1000000": 60, "": 1, "-3": 1} {
		m := received{}
		m.Attributes = map[string]string{"ApproximateReceiveCount": receives}
		if got := backOff(m, lease); got != time.Duration(want)*time.Second {
			t.Errorf("%s receives: %s", receives, got)
		}
	}
	if got := backOff(received{}, 500*time.Millisecond); got != 500*time.Millisecond {
		t.Errorf("longer than the lease: %s", got)
	}
}

// A body that swallows its error is no fault of the database: the workers do not
// rest, nothing is acknowledged, and the message goes the queue's own way.
func TestOwnRowWhoseBodySwallowsAnError(t *testing.T) {
	t.Parallel()
	r := newRigOn(t, 3, twiceproof.Postgres)
	c := r.bookingConsumer()
	c.pause = func(context.Context, time.Duration) { t.Error("rested") }
	c.ActTx = func(ctx context.Context, tx *sql.Tx, op *twiceproof.Operation) error {
		if op.Key == "1" {
			_, _ = tx.ExecContext(ctx, "INSERT INTO nowhere VALUES (1)")
			return nil
		}
		return book(ctx, tx, op)
	}
	id := r.send("1")
	r.send("2")
	r.start(c)
	r.untilKinds(lab.Deleted, 1)
	r.untilIdle(1)
	r.wantKinds(id, "sent received")
	r.wantRecord("1", "none")
	r.wantRows("2", 1)
}

// A connection that was lost before the commit is no fault of the body: the workers
// rest.
func TestOwnRowWhoseConnectionIsLost(t *testing.T) {
	t.Parallel()
	r := newRigOn(t, 0, twiceproof.Postgres)
	c := r.bookingConsumer()
	pauses := make(chan time.Duration, 10)
	c.pause = func(_ context.Context, d time.Duration) { pauses <- d }
	c.ActTx = func(ctx context.Context, tx *sql.Tx, op *twiceproof.Operation) error {
		_, err := tx.ExecContext(ctx, "SELECT pg_terminate_backend(pg_backend_pid())")
		if err == nil {
			t.Error("the connection was not lost")
		}
		return nil
	}
	id := r.send("1")
	r.start(c)
	if got := take(r, pauses); got != time.Second {
		t.Errorf("rested %s", got)
	}
	r.wantLogged("commit: not committed", 1)
	r.wantKinds(id, "sent received")
	r.wantRecord("1", "none")
}

func TestOwnRowWithoutADatabase(t *testing.T) {
	t.Parallel()
	r := newRigOn(t, 0, twiceproof.Postgres)
	c := r.bookingConsumer()
	db := r.open(r.dsn + "&default_transaction_read_only=on")
	c.Guard = r.guard(db, ownRowJob())
	pauses := make(chan time.Duration, 10)
	c.pause = func(_ context.Context, d time.Duration) { pauses <- d }
	id := r.send("1")
	stop := r.start(c)
	if got := take(r, pauses); got != time.Second {
		t.Errorf("rested %s", got)
	}
	stop()
	r.wantKinds(id, "sent received")
	r.until("the end of the polls", func(s lab.Snapshot) bool { return s.Polling == 0 })
	r.start(r.bookingConsumer()) // the control
	r.Advance(30 * time.Second)
	r.untilKinds(lab.Deleted, 1)
	r.wantRows("1", 1)
}

func TestWhichActFitsTheEffect(t *testing.T) {
	r := newRig(t, 0)
	for want, change := range map[string]func(*Consumer){
		"one of Act and ActTx is needed":                    func(c *Consumer) { c.ActTx = book },
		"an effect of the kind outside needs Act":           func(c *Consumer) { c.Act, c.ActTx = nil, book },
		"an effect of the kind own_row needs ActTx":         func(c *Consumer) { c.Guard = r.guard(r.db, ownRowJob()) },
		"a batch of -1 is not between 1 and 10":             func(c *Consumer) { c.Batch = -1 },
		"a batch of 11 is not between 1 and 10":             func(c *Consumer) { c.Batch = 11 },
		"a batch is for Act: each own row has its own tran": func(c *Consumer) { *c = r.bookingConsumer(); c.Batch = 2 },
	} {
		c := r.consumer(holdJob())
		change(&c)
		if err := c.Run(r.ctx); err == nil || len(err.Error()) < len(want) || err.Error()[:16] != "start consumer: " || fmt.Sprint(err)[16:16+len(want)] != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if n := r.wire.made("ReceiveMessage"); n != 0 {
		t.Errorf("%d receives", n)
	}
	long := holdJob()
	long.LongestRun = lease / 5
	for warnings, batch := range []int{5, 6} {
		c := r.consumer(long)
		c.Batch = batch
		ctx, cancel := context.WithCancel(r.ctx)
		cancel()
		if err := c.Run(ctx); err != nil {
			t.Error(err)
		}
		r.wantLogged("the end of a batch may be put back unacted", warnings)
	}
}

// A job that renews its claim keeps its message for as long; one that does not
// loses both at the end of its lease, and its late completion is refused.
func TestRenewedClaimKeepsItsMessage(t *testing.T) {
	for name, renews := range map[string]bool{"renews": true, "does not": false} {
		for _, batch := range []int{1, 10} {
			t.Run(fmt.Sprint(name, " batch ", batch), func(t *testing.T) {
				inBubble(t, 0, func(t *testing.T, r *rig) { r.renewing(renews, batch) })
			})
		}
	}
}

func (r *rig) renewing(renews bool, batch int) {
	j := holdJob()
	j.Stale.Policy = job.AcceptDuplicate
	c := r.consumer(j)
	c.Workers, c.Visibility, c.Batch = 2, 30*time.Second, batch
	renew := make(chan struct{})
	c.Act = func(ctx context.Context, op *twiceproof.Operation) error {
		first := op.Key == "1" && r.till.count("1") == 0
		_ = r.till.charge(ctx, op)
		for first {
			if _, more := <-renew; !more {
				break
			}
			if err := op.Renew(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	id := r.send("1")
	r.send("2")
	stop := r.start(c)
	end := sync.OnceFunc(func() { close(renew) })
	defer end()
	for n := 0; renews && n < 5; n++ { // over a lease and a half in all
		time.Sleep(lease / 3)
		r.age(lease / 3)
		renew <- struct{}{}
	}
	if !renews {
		r.until("the end of the lease", func(s lab.Snapshot) bool { return count(s.Events, lab.VisibilityOver, id) == 1 })
		r.age(lease)
		r.until("another worker's end", func(s lab.Snapshot) bool { return count(s.Events, lab.Deleted, id) == 1 })
	}
	end()
	r.untilKinds(lab.Deleted, 2)
	if !renews {
		stop()
		r.wantLogged("lost claim", 1)
		r.wantCharges("1", 2) // the control: the policy accepts one
		return
	}
	if n := count(r.Log(queueName), lab.Received, id); n != 1 {
		r.t.Errorf("received %d times\n%s", n, r.history())
	}
	if took := r.events(lab.Deleted)[1].At.Sub(r.events(lab.Received)[0].At); took < lease+lease/2 {
		r.t.Errorf("took %s, no longer than a lease and a half", took)
	}
	r.wantCharges("1", 1)
}
