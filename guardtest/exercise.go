package guardtest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/dialect"
)

// Setup is a database that the scenarios run against.
type Setup struct {
	Dialect twiceproof.Dialect
	// Connector is the driver, with the address of an empty database.
	Connector driver.Connector
	// Observe, when given, is told of every statement of a guard or a sweep that the
	// database has executed, whether or not its reply was then lost: the name of its
	// file in dialect (or begin, commit), its arguments in the order of their numbers
	// as the driver got them, and whether it changed or answered a record (of claim:
	// whether the record is the claimer's own). The first two arguments are job type and
	// operation key, and each scenario has a job type of its own. What the scenario does by itself has the names age (by
	// milliseconds, the third argument), left (milliseconds of the lease) and resolve.
	// It is called from several goroutines.
	Observe func(verb string, args []any, matched bool)
}

// fewestTriples is how many different combinations of outcome, policy and fault the
// scenarios of a database must have.
const fewestTriples = 60

// Exercise runs every scenario that is for the database of open.
func Exercise(t *testing.T, open func(t *testing.T) Setup) {
	t.Helper()
	all, err := everything()
	if err != nil {
		t.Fatal(err)
	}
	d, err := newDatabase(t.Context(), open(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.close)
	var ran []scenario
	for _, s := range all {
		if !s.runsOn(string(d.Dialect)) {
			continue
		}
		ran = append(ran, s)
		t.Run(strings.TrimSuffix(s.file, ".txt")+"/"+s.name, func(t *testing.T) {
			if err := d.run(t.Context(), s); err != nil {
				t.Error(err)
			}
		})
	}
	table := coverageOf(ran)
	t.Logf("%s: %d scenarios\n%s", d.Dialect, len(ran), table)
	if len(table) < fewestTriples {
		t.Errorf("%d combinations of outcome, policy and fault, want %d", len(table), fewestTriples)
	}
}

// database is what the scenarios of one Exercise share.
type database struct {
	Setup
	statements dialect.Statements
	plain      *sql.DB // without faults
	spares     spares
}

func (d *database) close() {
	d.spares.close()
	_ = d.plain.Close()
}

// scenarios counts those that were begun, for job types of their own.
var scenarios atomic.Int64

func newDatabase(ctx context.Context, s Setup) (*database, error) {
	statements, err := dialect.Load(string(s.Dialect), "")
	if err != nil {
		return nil, err
	}
	d := &database{Setup: s, statements: statements, plain: sql.OpenDB(s.Connector)}
	for _, statement := range []string{statements.Schema, "CREATE TABLE effects (job_type VARCHAR(64), operation_key VARCHAR(255), reference VARCHAR(64))"} {
		if _, err := d.plain.ExecContext(ctx, statement); err != nil {
			return nil, fmt.Errorf("make tables: %w", err)
		}
	}
	return d, nil
}

// run brings one scenario to its end or to its first line that is not so.
func (d *database) run(ctx context.Context, s scenario) error {
	w := newWorld(d)
	defer w.close()
	for _, l := range s.lines {
		if err := w.step(ctx, l); err != nil {
			return fmt.Errorf("%s: %s: %w", l.at, l.step, err)
		}
	}
	return nil
}
