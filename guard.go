package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// Dialect is the SQL that a database speaks.
type Dialect string

// The dialects.
const (
	Postgres Dialect = "postgres"
	MySQL    Dialect = "mysql" // and MariaDB
	SQLite   Dialect = "sqlite"
)

// LookUp asks the outside service whether the operation's effect is there.
// It answers true only for a positive "exists, with this reference and this
// content". When the service cannot say, or shows something else under the
// reference, it returns an error: then the job does not act.
type LookUp func(ctx context.Context, op *Operation) (found bool, err error)

// Options are what a guard may be given beside its job. The zero value works
// for every policy but lookup.
type Options struct {
	// LookUp is needed under the policy lookup.
	LookUp LookUp
	// Table is the name of the record's table; empty means idempotency_records.
	Table string
	// Worker names this process in the record, for people; it never decides.
	// Empty means host name and process number. What is no printable ASCII is written
	// as ?, and 255 characters are kept: no database may refuse a claim for it.
	Worker string
	// Log receives what the guard did and why; nil means slog.Default().
	Log *slog.Logger
}

// Guard runs one job's operations once. It is safe for concurrent use.
type Guard struct {
	job     job.Job
	lookUp  LookUp
	records records
	log     *slog.Logger

	counting sync.Mutex
}

// New makes the guard of a job over the application's own database. It does not
// touch the database.
func New(db *sql.DB, d Dialect, j job.Job, o Options) (*Guard, error) {
	if db == nil {
		return nil, errors.New("new guard: no database given")
	}
	if err := supported(j, o); err != nil {
		return nil, fmt.Errorf("new guard: %w", err)
	}
	records, err := newRecords(db, d, j, o.Table)
	if err != nil {
		return nil, fmt.Errorf("new guard: %w", err)
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	records.worker = workerName(o.Worker)
	return &Guard{job: j, lookUp: o.LookUp, records: records, log: o.Log.With("job", j.Type)}, nil
}

// workerName is what every column, encoding and connection takes.
func workerName(given string) string {
	if given == "" {
		host, _ := os.Hostname()
		given = fmt.Sprintf("%s/%d", host, os.Getpid())
	}
	plain := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, given)
	return plain[:min(len(plain), 255)]
}

func supported(j job.Job, o Options) error {
	if err := j.Validate(); err != nil {
		return err
	}
	if j.Stale.Policy == job.Lookup && o.LookUp == nil {
		return errors.New("policy lookup needs Options.LookUp")
	}
	return nil
}

// Job is the job that this guard was made for.
func (g *Guard) Job() job.Job { return g.job }

// deadline is when this worker must have acted. It counts from before the claim
// was first sent, so it always ends before the database takes the claim for
// stale. (SQLite cuts its clock to milliseconds, so there by up to one later.) It is
// monotonic: a step of the machine's clock does not move it. On Linux that clock
// stands still while the machine is suspended, and the database's does not.
func (g *Guard) deadline(claimSent time.Time) time.Time { return claimSent.Add(g.job.Lease) }
