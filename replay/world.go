package replay

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/outside"
	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/queue/celery"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/replay/records"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/httpwire"
)

// world is what one case has to itself: queue, outside service, database and the
// workers of one code version.
type world struct {
	*lab
	plan    judge.Planned
	folder  string
	history *history
	queue   queue.Queue
	celery  *celery.Servers
	outside *outside.Outside    // nil where the effect is no call
	mail    *outside.MailServer // nil where it is no mail
	book    *outside.Book       // what either of them did; nil where the effect is a row
	refuse  *httpwire.Proxy
	db      *records.DB
	dsn     string // of the database, as the record's reader is told
	address string // and as the workers are

	workers    []*worker
	operations []operation // those that time passes for
	made       int
	logged     int             // queue events that are in the history already
	strange    int             // calls that the outside service did not know, likewise
	asked      int             // look-ups, likewise
	passed     time.Duration   // time that the replay let pass
	met        time.Duration   // waited in vain at meetings
	nameless   int             // calls that were looked at for their operation
	values     map[string]bool // of all operations that the case has made
	ends       []seenEnd       // of all operations
	barren     bool            // it is of no use to wait any more
	passedMS   int64           // when time last passed, by the history
	before     map[int]string  // the children that this process had before the case
	noise      noise           // of a worker without a job, where pairs are struck …
	heard      []recordedStep  // … and what the last redelivery said
	closing    sync.Once
}

func (s *slot) newWorld(ctx context.Context, p judge.Planned) (w *world, err error) {
	folder := filepath.Join(s.folder, fmt.Sprintf("case-%d", s.nextWorld()))
	w = &world{lab: s.lab, celery: &s.celery, plan: p, history: newHistory(), values: map[string]bool{}, folder: folder}
	if err = w.open(ctx, s.database); err != nil {
		w.close()
	}
	return w, err
}

func (w *world) open(ctx context.Context, own func(context.Context, string) database) (err error) {
	if err := os.Mkdir(w.folder, 0o755); err != nil {
		return err
	}
	if err := w.writeAuthority(); err != nil {
		return err
	}
	if err := w.openDatabase(ctx, own(ctx, w.folder)); err != nil {
		return err
	}
	if w.queue, err = w.newQueue(ctx); err != nil {
		return err
	}
	return w.startOutside()
}

func (w *world) openDatabase(ctx context.Context, own database) (err error) {
	if w.dsn, w.address = own.dsn, own.address; own.err != nil {
		return own.err
	}
	if w.db, err = records.Open(string(w.Spec.Database.Kind), w.dsn, w.Table); err != nil || !w.ownRow() {
		return err
	}
	return w.countsNoOther(ctx)
}

func (w *world) startOutside() (err error) {
	w.refuse, err = httpwire.Refuse(w.refused)
	switch {
	case err != nil:
		return err
	case w.Spec.Outside.Mail.Operation != "":
		return w.startMail()
	case w.ownRow():
		return nil
	}
	if w.outside, err = outside.Start(w.service()); err != nil {
		return err
	}
	w.book = w.outside.Book
	return nil
}

// refused keeps a call that is not meant for the stand-in.
func (w *world) refused(method, target string) {
	w.history.add(judge.Event{Event: judge.EventUnproxied, Detail: wire.Clip(method + " " + target)})
}

func (w *world) startMail() (err error) {
	if w.mail, err = outside.StartMail(w.mailService()); err != nil {
		return err
	}
	w.book = w.mail.Book
	return nil
}

func (w *world) ownRow() bool { return w.Job.Effect.Kind == job.OwnRow }

// pass lets time pass, for the record and for the queue alike, record first: a
// redelivery must find the record as old as the queue is. The lease is not
// shortened; only the clocks move.
func (w *world) pass(ctx context.Context, d time.Duration) error {
	if err := w.age(ctx, d); err != nil {
		return err
	}
	return w.passOnQueue(d)
}

func (w *world) age(ctx context.Context, d time.Duration) error {
	if !w.plan.Guarded {
		return nil
	}
	for _, op := range w.operations {
		if err := w.db.Age(ctx, w.Job.Type, op.key, d); err != nil {
			return w.noRecord(err)
		}
	}
	return nil
}

// passOnQueue is for whoever cannot write the record.
func (w *world) passOnQueue(d time.Duration) error {
	w.logQueue()
	w.passed += d
	w.history.add(judge.Event{Event: judge.EventPassed, ForMS: d.Milliseconds()})
	w.passedMS = time.Since(w.history.start).Milliseconds()
	if w.book != nil {
		w.book.Advance(d)
	}
	return w.queue.Advance(d)
}

func (w *world) logs() string {
	text := ""
	for _, worker := range w.workers {
		text += "== worker " + worker.name + "\n" + worker.process.Output()
	}
	return text
}

// close ends everything of the case; nothing is left running.
func (w *world) close() {
	w.closing.Do(func() {
		for _, worker := range slices.Backward(w.workers) {
			worker.close()
		}
		if w.queue != nil {
			w.logQueue()
			_ = w.queue.Close()
		}
		if w.outside != nil {
			w.outside.Close()
		}
		if w.mail != nil {
			w.mail.Close()
		}
		w.logOutside()
		if w.refuse != nil {
			w.refuse.Close()
		}
		if w.db != nil {
			_ = w.db.Close()
		}
	})
}
