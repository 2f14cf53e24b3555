package replay

import (
	"context"
	"path/filepath"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/replay/records"
	"github.com/twiceproof/twiceproof/wire"
)

// The places of every_step at the writes to SQLite's files.

// trySeeingFiles finds out, before anything runs, whether the writes can be seen.
func (l *lab) trySeeingFiles(ctx context.Context, plan judge.Plan) {
	if l.Spec.Database.Kind != jobfile.SQLite || plan.Rung == judge.Cut {
		return
	}
	for _, p := range plan.Cases {
		if p.Case == judge.EveryStep && p.NotApplicable == "" {
			l.filesUnseen = whyNoStrace(ctx)
			l.filesSeen = l.filesUnseen == ""
			return
		}
	}
}

// path is the database's file, as the system names it.
func (w *world) path() string {
	folder, err := filepath.EvalSymlinks(w.folder)
	if err != nil {
		folder = w.folder
	}
	return filepath.Join(folder, sqliteName)
}

// watchFiles tells each write of the worker to the trace, until end. Where they cannot be
// seen it does nothing.
func (w *world) watchFiles(ctx context.Context, k *worker) (end func(), err error) {
	if !w.filesSeen {
		return func() {}, nil
	}
	steps := newFileSteps()
	s, err := w.attach(ctx, k, looked{calls: writing, files: filesOf(w.path())}, func(l traceLine) {
		if at, step, ended := steps.take(l); ended {
			w.noteWrite(k, step, wire.Forwarded)
			w.noteWrite(k, step, wire.Passed)
			k.trace.crossed(wire.Event{At: at, Step: step, Phase: wire.Request})
		}
	})
	if err != nil {
		return nil, w.notSeen(err)
	}
	return s.end, nil
}

func (w *world) attach(ctx context.Context, k *worker, at looked, take func(traceLine)) (*strace, error) {
	limited, cancel := context.WithTimeout(ctx, w.Spec.Timeouts.Step)
	defer cancel()
	return attach(limited, k.process, at, take)
}

func (w *world) notSeen(err error) *hinted.Error {
	return &hinted.Error{
		What: "strace cannot be attached to a worker: " + err.Error(),
		Hint: "let the workers run under the account of the replay, or leave strace out of its PATH: " + judge.EveryStep + " is then without SQLite's files",
	}
}

func (w *world) noteWrite(k *worker, s wire.Step, p wire.Phase) {
	w.history.add(judge.Event{Event: judge.EventStep, Worker: k.name, What: string(p), Step: s.String()})
}

// reopen lets go of SQLite's files and looks at them anew, so that what a dead worker has
// left is recovered now, as the next one to come would. Counter-example: a COMMIT that is
// in the -wal and not yet in the -shm, which whoever has the files open does not see, and
// the next worker does.
func (w *world) reopen() error {
	if w.server != nil {
		return nil
	}
	if err := w.db.Close(); err != nil {
		return err
	}
	db, err := records.Open(string(w.Spec.Database.Kind), w.dsn, w.Table)
	if err != nil {
		return err
	}
	w.db = db
	return nil
}

func (l *lab) filesText() string {
	switch {
	case l.Rung == judge.Cut:
		return "SQLite's own writes: a file has no connection that could be cut"
	case l.filesSeen:
		return "of SQLite's own writes those to its -shm, which is mapped into memory; those to its other files are steps of " + judge.EveryStep
	case l.filesUnseen != "":
		return "SQLite's own writes: " + l.filesUnseen
	}
	return "the order of the database's own writes (SQLite has no wire); the record is read between them"
}
