package replay

import (
	"context"
	"fmt"
	"time"

	"github.com/twiceproof/twiceproof/replay/records"
)

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

// setPostgresAhead has its own connection: the path holds for those that are made
// afterwards.
func (w *world) setPostgresAhead(ctx context.Context) error {
	db, err := records.Open(string(w.Spec.Database.Kind), w.dsn, w.Table)
	if err != nil {
		return err
	}
	defer db.Close()
	return db.Apply(ctx, fmt.Sprintf(aheadOfWorkers, int(clockAhead/time.Second)))
}
