package guardtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/dialect"
)

// look compares what can be seen with a line.
func (w *world) look(ctx context.Context, l line) error {
	var n int
	var err error
	switch l.step {
	case "record":
		return w.record(ctx, l)
	case "effects":
		n, err = w.service.count(ctx, l.order())
	case "look_ups":
		n = w.service.lookUps()
	case "queue":
		n = len(w.queue)
	}
	if err == nil && strconv.Itoa(n) != l.outcome {
		err = fmt.Errorf("%d, want %s", n, l.outcome)
	}
	return err
}

func (w *world) record(ctx context.Context, l line) error {
	state, err := w.column(ctx, l.order(), "state")
	if errors.Is(err, sql.ErrNoRows) && l.outcome == "none" {
		return nil
	}
	if err != nil || l.outcome == "none" {
		return errors.Join(fmt.Errorf("record in state %q", state), err)
	}
	for name, want := range l.want {
		got, err := w.column(ctx, l.order(), name)
		if err != nil {
			return err
		}
		if got != want && (want != "set" || got == "null") {
			return fmt.Errorf("%s=%.99s, want %.99s", name, got, want)
		}
	}
	return nil
}

func (w *world) column(ctx context.Context, order, name string) (string, error) {
	var value any
	q := "SELECT " + name + " FROM " + dialect.Table + " WHERE " + w.thisRecord(1)
	err := w.plain.QueryRowContext(ctx, q, w.jobType, order).Scan(&value)
	switch v := value.(type) {
	case nil:
		return "null", err
	case []byte:
		return string(v), err
	case bool:
		return map[bool]string{false: "0", true: "1"}[v], err
	}
	return fmt.Sprint(value), err
}

// thisRecord is SQL whose two parameters begin with the n-th.
func (w *world) thisRecord(n int) string {
	return "job_type = " + w.holders(n, 1) + " AND operation_key = " + w.holders(n+1, 1)
}

// holders are the place holders of so many parameters, beginning with the n-th.
func (w *world) holders(n, count int) string {
	var all []string
	for i := range count {
		holder := "?"
		if w.Dialect == twiceproof.Postgres {
			holder = "$" + strconv.Itoa(n+i)
		}
		all = append(all, holder)
	}
	return strings.Join(all, ", ")
}

// passTime makes a record older, or leaves its claim so much of its lease.
func (w *world) passTime(ctx context.Context, l line) error {
	d, err := l.duration()
	if err != nil {
		return err
	}
	var changes []string
	if l.step == "left" {
		changes = []string{"claimed_at = " + w.before(w.now(), fmt.Sprintf("lease_ms - (%d)", d.Milliseconds()))}
	} else {
		for _, column := range []string{"claimed_at", "first_claimed_at", "requeued_at", "last_repeat_at"} {
			changes = append(changes, column+" = "+w.before(column, strconv.FormatInt(d.Milliseconds(), 10)))
		}
	}
	if err := w.update(ctx, l.order(), strings.Join(changes, ", ")); err != nil {
		return err
	}
	w.tell(l.step, l.order(), d)
	return nil
}

func (w *world) tell(verb, order string, d time.Duration) {
	if w.Observe != nil {
		w.Observe(verb, []any{w.jobType, order, d.Milliseconds()}, true)
	}
}

func (w *world) update(ctx context.Context, order, changes string, args ...any) error {
	q := "UPDATE " + dialect.Table + " SET " + changes + " WHERE " + w.thisRecord(len(args)+1)
	result, err := w.plain.ExecContext(ctx, q, append(args, w.jobType, order)...)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); n != 1 || err != nil {
		return errors.Join(fmt.Errorf("changed %d records", n), err)
	}
	return nil
}

// now is SQL for the statement's moment, before for one so many milliseconds earlier.
func (w *world) now() string {
	return map[twiceproof.Dialect]string{
		twiceproof.Postgres: "statement_timestamp()", twiceproof.MySQL: "UTC_TIMESTAMP(6)",
		twiceproof.SQLite: "CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER)",
	}[w.Dialect]
}

func (w *world) before(moment, ms string) string {
	return moment + " - " + fmt.Sprintf(map[twiceproof.Dialect]string{
		twiceproof.Postgres: "(%s) * interval '1 millisecond'", twiceproof.MySQL: "INTERVAL (%s) * 1000 MICROSECOND", twiceproof.SQLite: "(%s)",
	}[w.Dialect], ms)
}
