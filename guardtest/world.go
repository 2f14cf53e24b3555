package guardtest

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync"

	"github.com/twiceproof/twiceproof/job"
)

// world is one scenario on its way. Its job type is its own, so that scenarios share
// a table and never meet.
type world struct {
	*database
	db      *sql.DB // the guards', through the faults
	faults  *faults
	open    *sync.WaitGroup // connections of db
	job     job.Job
	jobType string
	service *service
	workers map[string]*worker
	queue   [][]byte // what the sweep has put back
	stuck   bool     // a worker did not come back
}

func newWorld(d *database) *world {
	w := &world{
		database: d, faults: newFaults(d.Setup, d.statements), open: &sync.WaitGroup{},
		jobType: fmt.Sprintf("scenario.%d", scenarios.Add(1)), workers: map[string]*worker{},
	}
	w.service = &service{world: w, effects: map[string][]string{}}
	w.db = sql.OpenDB(connector{d.Connector, w.faults, &d.spares, w.open})
	return w
}

// close lets go of the workers that nobody has woken, and waits for what is under
// way, so that nothing of it reaches into the next scenario.
func (w *world) close() {
	w.faults.waiting()
	for _, one := range w.workers {
		one.abandon()
	}
	_ = w.db.Close()
	if !w.stuck {
		w.open.Wait()
	}
}

// step does one line.
func (w *world) step(ctx context.Context, l line) error {
	switch l.step {
	case "only":
		return nil
	case "job":
		return w.setJob(l)
	case "deliver":
		return w.deliver(l)
	case "wake":
		return w.wake(l)
	case "service":
		w.service.answer(l.words[0])
		return nil
	case "lose", "refuse", "pause":
		return w.arm(l)
	case "sweep":
		return w.sweep(ctx, l)
	case "resolve":
		return w.resolve(ctx, l)
	case "age", "left":
		return w.passTime(ctx, l)
	}
	return w.look(ctx, l)
}

// arm is for the next step that brings something about: there the fault must strike.
func (w *world) arm(l line) error {
	words := l.words
	switch l.step {
	case "refuse":
		words = append(slices.Clone(words), string(refused))
	case "pause":
		words = append(slices.Clone(words), string(paused))
	}
	if len(words) != 2 || l.step == "lose" && !contains([]string{string(loseRequest), string(loseReply)}, words[1]) {
		return fmt.Errorf("want a verb, and for lose request or reply, got %q", l.words)
	}
	nth, err := l.number("nth", 1)
	if err != nil {
		return err
	}
	return w.faults.arm(fault{verb: words[0], kind: kind(words[1]), nth: nth})
}

// struck fails a step in which a fault did not happen.
func (w *world) struck() error {
	if names := w.faults.waiting(); names != "" {
		return fmt.Errorf("did not happen: %s", names)
	}
	return nil
}
