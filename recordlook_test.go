package twiceproof

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// age makes the claim that much older, as the database sees it.
func (r *rig) age(key string, by time.Duration) {
	r.t.Helper()
	r.set(key, "claimed_at = "+r.before("claimed_at", by))
}

// before is SQL for a moment before another.
func (r *rig) before(moment string, by time.Duration) string {
	return moment + fmt.Sprintf(map[Dialect]string{
		Postgres: " - %d * interval '1 millisecond'", MySQL: " - INTERVAL %d * 1000 MICROSECOND", SQLite: " - %d",
	}[r.d.dialect], by.Milliseconds())
}

// ago is SQL for a moment before now, by the database's clock.
func (r *rig) ago(by time.Duration) string {
	return r.before(map[Dialect]string{
		Postgres: "statement_timestamp()", MySQL: "UTC_TIMESTAMP(6)", SQLite: "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
	}[r.d.dialect], by)
}

// stale ages the claim past its lease and the settle time.
func (r *rig) stale(key string) { r.t.Helper(); r.age(key, lease+settle) }

func (r *rig) set(key, assignments string) {
	r.t.Helper()
	q := "UPDATE " + r.table + " SET " + assignments + " WHERE operation_key = '" + strings.ReplaceAll(key, "'", "''") + "'"
	res, err := r.plain.ExecContext(context.Background(), q)
	if err != nil {
		r.t.Fatalf("%s: %v", q, err)
	}
	if n, err := res.RowsAffected(); n != 1 || err != nil {
		r.t.Fatalf("%s: %d rows, %v", q, n, err)
	}
}

// wantRecord compares columns: "state=claimed acts=1 message=set result=null".
func (r *rig) wantRecord(key, want string) {
	r.t.Helper()
	for _, pair := range strings.Fields(want) {
		column, value, _ := strings.Cut(pair, "=")
		if got := r.column(key, column); got != value && (value != "set" || got == "null") {
			r.t.Errorf("%s: %s = %s, want %s", key, column, got, value)
		}
	}
}

func (r *rig) column(key, column string) string {
	r.t.Helper()
	var value any
	err := r.plain.QueryRowContext(context.Background(), "SELECT "+column+" FROM "+r.table+" WHERE operation_key = "+r.placeholder(), key).Scan(&value)
	if err != nil {
		r.t.Fatalf("read %s of %s: %v", column, key, err)
	}
	switch v := value.(type) {
	case nil:
		return "null"
	case []byte:
		return string(v)
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case bool:
		if v {
			return "1"
		}
		return "0"
	}
	return fmt.Sprint(value)
}

func (r *rig) placeholder() string {
	if r.d.dialect == Postgres {
		return "$1"
	}
	return "?"
}

func (r *rig) token(key string) string {
	return strings.ReplaceAll(r.column(key, "claim_token"), "-", "")
}

func (r *rig) rows() int {
	r.t.Helper()
	var n int
	if err := r.plain.QueryRowContext(context.Background(), "SELECT count(*) FROM "+r.table).Scan(&n); err != nil {
		r.t.Fatal(err)
	}
	return n
}

// whole is the record as one text, to see that nothing changed.
func (r *rig) whole(key string) string {
	r.t.Helper()
	rows, err := r.plain.QueryContext(context.Background(), "SELECT * FROM "+r.table+" WHERE operation_key = "+r.placeholder(), key)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	names, _ := rows.Columns()
	values := make([]any, len(names))
	for i := range values {
		values[i] = new(any)
	}
	var text strings.Builder
	for rows.Next() {
		if err := rows.Scan(values...); err != nil {
			r.t.Fatal(err)
		}
		for i, name := range names {
			fmt.Fprintf(&text, "%s=%v ", name, *values[i].(*any))
		}
	}
	if err := rows.Err(); err != nil {
		r.t.Fatal(err)
	}
	return text.String()
}

func (r *rig) wantOutcome(got Result, want Outcome, acknowledge bool) {
	r.t.Helper()
	if got.Outcome != want || got.Acknowledge() != acknowledge {
		r.t.Errorf("outcome %q, acknowledge %v, want %q, %v; %+v", got.Outcome, got.Acknowledge(), want, acknowledge, got)
	}
}
