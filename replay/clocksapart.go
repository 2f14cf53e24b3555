package replay

import (
	"context"
	"fmt"
	"time"

	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire/pgwire"
)

// clockAhead is by how much a case's database is ahead of the workers: more than
// any lease and patience of the replay.
const clockAhead = 1000 * time.Hour

// youngClocksApart is youngClaim on a database that is ahead of the workers. A lease
// that is written by one clock and judged by the other is over at once, or never.
func youngClocksApart(ctx context.Context, w *world) error {
	setBack, err := w.setClockAhead(ctx)
	if err != nil {
		return fmt.Errorf("set the database's clock: %w", err)
	}
	defer setBack()
	if err := youngClaim(ctx, w); err != nil {
		return err
	}
	for _, k := range w.workers {
		if p, ok := k.database.(*pgwire.Proxy); ok && p.Sets("search_path") {
			w.history.add(judge.Event{Event: judge.EventOwnPath, Worker: k.name})
		}
	}
	return nil
}

func (w *world) setClockAhead(ctx context.Context) (setBack func(), err error) {
	if s, ok := w.server.(*mysqlServer); ok {
		return w.setMySQLAhead(ctx, s)
	}
	return func() {}, w.setPostgresAhead(ctx)
}

func noDatabaseClock(s setting) string {
	switch {
	case s.database == jobfile.SQLite:
		return "SQLite has no clock of its own"
	case s.wireless() != "":
		return s.wireless()
	case !s.guarded:
		return "code without our record has no lease of ours to judge"
	}
	return noClaimOrWire(s)
}
