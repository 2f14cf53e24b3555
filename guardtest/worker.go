package guardtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/twiceproof/twiceproof"
)

// worker is one delivery, in a goroutine of its own, so that it can pause.
type worker struct {
	world  *world
	words  []string // what its body has yet to do
	result []byte
	events chan event
	resume chan resumption
	active bool // it has not ended
	broken error
}

// event is a pause or the end.
type event struct {
	paused bool
	raised bool // a panic, or the end of the goroutine
	result twiceproof.Result
	err    error
}

// workerOf is the key of a context's worker.
type workerOf struct{}

type resumption struct {
	words     []string
	result    []byte
	abandoned bool
}

var errAbandoned = errors.New("the scenario is over")

// patience bounds a step in which a guard does not come back.
const patience = 60 * time.Second

func (w *world) newWorker(l line) *worker {
	return &worker{world: w, words: l.words[1:], result: l.result(), events: make(chan event, 1), resume: make(chan resumption), active: true}
}

// begin performs a delivery until it pauses or ends.
func (k *worker) begin(g *twiceproof.Guard, d twiceproof.Delivery) (event, error) {
	ctx := context.WithValue(context.Background(), workerOf{}, k)
	go func() {
		e := event{raised: true}
		defer func() {
			_ = recover() // the guard's caller sees it: raised
			k.events <- e
		}()
		if k.world.job.Effect.Kind == "own_row" {
			e.result, e.err = g.RunTx(ctx, d, func(ctx context.Context, tx *sql.Tx, op *twiceproof.Operation) error {
				return k.body(ctx, tx, op)
			})
		} else {
			e.result, e.err = g.Run(ctx, d, func(ctx context.Context, op *twiceproof.Operation) error {
				return k.body(ctx, nil, op)
			})
		}
		e.raised = false
	}()
	return k.wait()
}

func (k *worker) wait() (event, error) {
	select {
	case e := <-k.events:
		k.active = e.paused
		return e, k.broken
	case <-time.After(patience):
		k.active, k.world.stuck = false, true
		return event{}, fmt.Errorf("neither paused nor ended after %s", patience)
	}
}

// pause stops the worker until it is woken; an error when the scenario is over.
func (k *worker) pause() error {
	k.events <- event{paused: true}
	r := <-k.resume
	if r.abandoned {
		return twiceproof.NotApplied(errAbandoned)
	}
	k.words = append(k.words, r.words...)
	if r.result != nil {
		k.result = r.result
	}
	return nil
}

func (k *worker) abandon() {
	for k.active {
		k.resume <- resumption{abandoned: true}
		if _, err := k.wait(); err != nil {
			return
		}
	}
}

// body does what the scenario's words say.
func (k *worker) body(ctx context.Context, tx *sql.Tx, op *twiceproof.Operation) error {
	for len(k.words) > 0 {
		word := k.words[0]
		k.words = k.words[1:]
		if err := k.do(ctx, tx, op, word); err != nil {
			return err
		}
	}
	op.SetResult(k.result)
	return nil
}

var errBody = errors.New("the body's own error")

func (k *worker) do(ctx context.Context, tx *sql.Tx, op *twiceproof.Operation, word string) error {
	switch word {
	case "acts":
		if err := op.Check(ctx); err != nil {
			return err
		}
		return k.world.service.act(ctx, tx, op)
	case "refuses":
		return twiceproof.NotApplied(errBody)
	case "fails":
		return errBody
	case "panics":
		panic("the body's own mistake")
	case "leaves":
		runtime.Goexit()
	case "pauses":
		return k.pause()
	case "renews":
		k.note(op.Renew(ctx))
	case "renew_refused":
		if op.Renew(ctx) == nil {
			k.note(errors.New("renewed, want it refused"))
		}
	case "commits", "rolls_back", "begins": // behind the guard's back
		_, err := tx.ExecContext(ctx, map[string]string{"commits": "COMMIT", "rolls_back": "ROLLBACK", "begins": "BEGIN"}[word])
		k.note(err)
	case "swallows":
		if _, err := tx.ExecContext(ctx, "SELECT guardtest_wants_a_refusal"); err == nil {
			k.note(errors.New("the database did not refuse"))
		}
	}
	return nil
}

// note keeps what was not as the scenario says.
func (k *worker) note(err error) { k.broken = errors.Join(k.broken, err) }
