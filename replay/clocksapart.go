package replay

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay/records"
)

const clocksApart = "clocks_apart" // the point

// clockAhead is by how much a case's database is ahead of the workers: more than
// any lease and patience of the replay.
const clockAhead = 1000 * time.Hour

// The clock's functions, before those of the system in the search path. What is
// measured by the database's clock alone does not change.
const aheadOfWorkers = `
CREATE SCHEMA twiceproof_clock;
CREATE FUNCTION twiceproof_clock.now() RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT pg_catalog.now() + interval '%[1]d seconds' $$;
CREATE FUNCTION twiceproof_clock.transaction_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT pg_catalog.transaction_timestamp() + interval '%[1]d seconds' $$;
CREATE FUNCTION twiceproof_clock.statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT pg_catalog.statement_timestamp() + interval '%[1]d seconds' $$;
CREATE FUNCTION twiceproof_clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ SELECT pg_catalog.clock_timestamp() + interval '%[1]d seconds' $$;
DO $$ BEGIN EXECUTE format('ALTER DATABASE %%I SET search_path = twiceproof_clock, pg_catalog, "$user", public', current_database()); END $$;
`

// youngClocksApart is youngClaim on a database that is ahead of the workers. A lease
// that is written by one clock and judged by the other is over at once, or never.
func youngClocksApart(ctx context.Context, w *world) error {
	// Its own connection: the path holds for those that are made afterwards.
	db, err := records.Open(string(w.Spec.Database.Kind), w.address, w.Table)
	if err != nil {
		return err
	}
	err = db.Apply(ctx, fmt.Sprintf(aheadOfWorkers, int(clockAhead/time.Second)))
	_ = db.Close()
	if err != nil {
		return fmt.Errorf("set the database's clock: %w", err)
	}
	if err := youngClaim(ctx, w); err != nil {
		return err
	}
	for _, k := range w.workers {
		if k.database.Sets("search_path") {
			w.history.add(Event{Event: EventOwnPath, Worker: k.name})
		}
	}
	return nil
}

// hidesClock is why a worker may not see the clock of this case though it asks the
// database for the time: a path of its own, or a clock that no path leads to.
func hidesClock(events []Event) string {
	for _, e := range events {
		step := strings.ToLower(e.Step)
		switch {
		case e.Event == EventOwnPath:
			return fmt.Sprintf("worker %s connects with a search_path of its own, which hides the clock of this case", e.Worker)
		case e.Event != EventStep || peerOf(e) != peerDatabase:
		case setsPath.MatchString(step):
			return fmt.Sprintf("worker %s sets its own search_path, which hides the clock of this case", e.Worker)
		case fixedClock.MatchString(step):
			return fmt.Sprintf("worker %s asks for the time in a way that the clock of this case does not reach (%s)", e.Worker, fixedClock.FindString(step))
		}
	}
	return ""
}

var (
	setsPath   = regexp.MustCompile(`\bsearch_path\b|\bset_config\b`)
	fixedClock = regexp.MustCompile(`\b(current_timestamp|localtimestamp)\b|\bpg_catalog\.\w*(now|timestamp)\b`)
)

func noDatabaseClock(s setting) string {
	switch {
	case s.database == jobfile.SQLite:
		return "SQLite has no clock of its own"
	case s.database != jobfile.Postgres:
		return fmt.Sprintf("only PostgreSQL's clock can be set here, not that of %s", s.database)
	case !s.guarded:
		return "code without our record has no lease of ours to judge"
	}
	return noClaimOrWire(s)
}
