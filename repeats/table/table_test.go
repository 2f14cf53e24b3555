package table_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/twiceproof/twiceproof/internal/testdb"
	"github.com/twiceproof/twiceproof/repeats/source"
	"github.com/twiceproof/twiceproof/repeats/table"
)

// charges has each kind of time, a reference twice, one without, and look-alikes.
var charges = map[string]string{
	table.Postgres: `CREATE TABLE charges (id int PRIMARY KEY, ref text, at timestamptz, naive timestamp, epoch bigint, job text, amount numeric(9,2));`,
	table.MySQL:    `CREATE TABLE charges (id int PRIMARY KEY, ref varchar(40), at timestamp(6) NULL, naive datetime(6), epoch bigint, job text, amount decimal(9,2));`,
	table.SQLite:   `CREATE TABLE charges (id INTEGER PRIMARY KEY, ref, at TEXT, naive TEXT, epoch INTEGER, job TEXT, amount NUMERIC);`,
}

const rows = `INSERT INTO charges VALUES
 (1, 'A', '2026-03-04 05:06:07.123456%[1]s', '2026-03-04 05:06:07.123456', 1772600767, 'm1', 10.50),
 (2, 'A', '2026-03-04 05:06:37.5%[1]s', '2026-03-04 05:06:37.5', 1772600797, 'm1', 10.50),
 (3, 'a', '2026-03-04 05:06:08%[1]s', '2026-03-04 05:06:08', 1772600768, NULL, 11),
 (4, NULL, '2026-03-04 05:06:09%[1]s', '2026-03-04 05:06:09', 1772600769, 'm4', 12);`

type server struct {
	dialect string
	db      *sql.DB
}

// servers are the three, each with the charges and what else is given.
func servers(t *testing.T, more ...string) (all []server) {
	t.Helper()
	for _, dialect := range []string{table.Postgres, table.MySQL, table.SQLite} {
		zone := map[string]string{table.Postgres: "+00", table.SQLite: "Z"}[dialect]
		schema := charges[dialect] + fmt.Sprintf(rows, zone) + strings.Join(more, ";")
		if dialect == table.MySQL {
			schema = "SET time_zone = '+00:00';" + schema
		}
		var driver, dsn string
		switch dialect {
		case table.Postgres:
			driver, dsn = "pgx", testdb.Postgres(t, schema)
		case table.MySQL:
			driver, dsn = "mysql", testdb.MySQL(t, schema)
		default:
			driver, dsn = "sqlite", testdb.SQLite(t, schema)+"&mode=ro&_pragma=query_only(1)"
		}
		db, err := sql.Open(driver, dsn)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		all = append(all, server{dialect, db})
	}
	return all
}

func (s server) table(c source.Columns) table.Table {
	return table.Table{DB: s.db, Dialect: s.dialect, Name: "charges", Columns: c, Limit: time.Minute}
}

// read gives the rows, with their moments as they are understood.
func read(t *testing.T, tb table.Table) (found []string, about table.About, clock *source.Clock, err error) {
	t.Helper()
	clock = &source.Clock{}
	err = tb.Read(t.Context(), source.Sink{Take: func(r *source.Record) error {
		at, why := clock.Parse(r.Time)
		found = append(found, fmt.Sprint(r.Reference, "|", at, why, "|", r.Message, "|", r.Content))
		return nil
	}}, func(a table.About) error { about = a; return nil })
	slices.Sort(found)
	return found, about, clock, err
}

// Every kind of time means the same moment, whatever the session's time zone is.
func TestRead(t *testing.T) {
	for _, s := range servers(t) {
		for _, column := range []string{"at", "naive", "epoch"} {
			t.Run(s.dialect+" "+column, func(t *testing.T) {
				got, about, clock, err := read(t, s.table(source.Columns{Reference: "ref", Time: column, Message: "job", Content: []string{"amount"}}))
				if err != nil {
					t.Fatal(err)
				}
				micro := []int64{1772600767123456, 1772600797500000}
				if column == "epoch" {
					micro = []int64{1772600767000000, 1772600797000000}
				}
				for i, m := range micro {
					if !strings.HasPrefix(got[i], fmt.Sprintf("A|%d|m1|[10.5", m)) {
						t.Errorf("row %d: %q", i, got)
					}
				}
				if len(got) != 4 || !strings.HasPrefix(got[2], "a|1772600768000000||[11") || !strings.HasPrefix(got[3], "|") {
					t.Errorf("%q", got)
				}
				if naive := column == "naive"; (clock.Naive > 0) != naive {
					t.Errorf("%d times are naive", clock.Naive)
				}
				if about.Unique || about.Beside != nil || !slices.Contains(about.Names, "amount") {
					t.Errorf("%+v", about)
				}
			})
		}
	}
}

// The positive control is in the same transaction: it reads, and then cannot write.
// MariaDB ends a transaction before it drops a table, so that is not tried there: no text
// from outside ever becomes a statement.
func TestNothingIsWritten(t *testing.T) {
	for _, s := range servers(t) {
		t.Run(s.dialect, func(t *testing.T) {
			writes := []string{"INSERT INTO charges (id) VALUES (9)", "DELETE FROM charges", "UPDATE charges SET ref = 'x'", "DROP TABLE charges"}
			if s.dialect == table.MySQL {
				writes = writes[:3]
			}
			for _, statement := range writes {
				n, err := table.TryInside(t.Context(), s.table(source.Columns{Reference: "ref", Time: "at"}), "SELECT count(*) FROM charges", statement)
				if n != 4 || err == nil {
					t.Errorf("%s: %d rows were there, and then %v", statement, n, err)
				}
			}
			var n int
			if err := s.db.QueryRow("SELECT count(*) FROM charges WHERE id < 9").Scan(&n); err != nil || n != 4 {
				t.Errorf("%d rows are left, %v", n, err)
			}
		})
	}
}

// A statement that takes too long is ended by the database, or by us.
func TestTimeLimit(t *testing.T) {
	slow := map[string]string{
		table.Postgres: "SELECT count(*) FROM generate_series(1, 1000000000) a",
		table.MySQL:    "SELECT count(*) FROM seq_1_to_1000000 a, seq_1_to_1000000 b",
		table.SQLite:   "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
	}
	for _, s := range servers(t) {
		t.Run(s.dialect, func(t *testing.T) {
			tb := s.table(source.Columns{Reference: "ref", Time: "at"})
			tb.Limit = time.Second
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			_, err := table.TryInside(ctx, tb, slow[s.dialect], "")
			var e *source.Error
			if !errors.As(err, &e) || !strings.Contains(e.What, "time limit") || !strings.Contains(e.Hint, "--time-limit") {
				t.Errorf("%v", err)
			}
		})
	}
}

// What a table's keys say of repeats.
func TestUniqueKeys(t *testing.T) {
	for _, c := range []struct {
		key    string
		unique bool
		beside []string
	}{
		{"CREATE INDEX k ON charges (ref)", false, nil},
		{"CREATE UNIQUE INDEX k ON charges (id)", false, nil},
		{"CREATE UNIQUE INDEX k ON charges (%s)", true, nil},
		{"CREATE UNIQUE INDEX k ON charges (epoch, %s)", false, []string{"epoch"}},
		{"CREATE UNIQUE INDEX k ON charges (%s) WHERE id < 2", false, nil},
	} {
		for _, s := range servers(t) {
			t.Run(s.dialect+" "+c.key, func(t *testing.T) {
				if s.dialect == table.MySQL && strings.Contains(c.key, "WHERE") {
					t.Skip("it has no partial index")
				}
				// On its own column, since ref has repeats.
				for _, statement := range []string{"ALTER TABLE charges ADD COLUMN only_once varchar(40)", strings.ReplaceAll(c.key, "%s", "only_once")} {
					if _, err := writable(t, s).Exec(statement); err != nil {
						t.Fatal(err)
					}
				}
				_, about, _, err := read(t, s.table(source.Columns{Reference: "only_once", Time: "at"}))
				if err != nil || about.Unique != c.unique || !slices.Equal(about.Beside, c.beside) {
					t.Errorf("%+v, %v", about, err)
				}
			})
		}
	}
	for _, s := range servers(t) { // the primary key counts, too
		if _, about, _, err := read(t, s.table(source.Columns{Reference: "id", Time: "at"})); err != nil || !about.Unique {
			t.Errorf("%s: %+v, %v", s.dialect, about, err)
		}
	}
}

// writable opens a SQLite file once more, so that it can be changed.
func writable(t *testing.T, s server) *sql.DB {
	t.Helper()
	if s.dialect != table.SQLite {
		return s.db
	}
	var path string
	if err := s.db.QueryRow("SELECT file FROM pragma_database_list").Scan(&path); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// What is named wrongly is told with what was perhaps meant; a name ends no statement.
func TestWrongNames(t *testing.T) {
	for _, s := range servers(t) {
		for _, c := range []struct{ name, reference, want, hint string }{
			{"charges", "reff", "has no column reff", "did you mean ref?"},
			{"charge", "ref", "the table cannot be read", "check --dsn and --table"},
			{`charges"; DROP TABLE charges; --`, "ref", "is no plain name", "without quotes"},
			{"charges", "ref\"; DROP TABLE charges; --", "is no plain name", "without quotes"},
			{"charges", "ref` FROM charges; --", "is no plain name", "without quotes"},
		} {
			tb := s.table(source.Columns{Reference: c.reference, Time: "at"})
			tb.Name = c.name
			_, _, _, err := read(t, tb)
			var e *source.Error
			if !errors.As(err, &e) || !strings.Contains(e.What, c.want) || !strings.Contains(e.Hint, c.hint) {
				t.Errorf("%s, %s.%s: %v", s.dialect, c.name, c.reference, err)
			}
		}
	}
}

// Identifiers that are no text, such as a UUID of 16 bytes, stay apart.
func TestBinaryReferences(t *testing.T) {
	columns := map[string]string{table.Postgres: "ref bytea", table.MySQL: "ref binary(4)", table.SQLite: "ref blob"}
	value := map[string]string{table.Postgres: `'\x%s'`, table.MySQL: "x'%s'", table.SQLite: "x'%s'"}
	for _, s := range servers(t) {
		for _, statement := range []string{
			"CREATE TABLE keyed (" + columns[s.dialect] + ", at varchar(40))",
			"INSERT INTO keyed VALUES (80818283, '1772600767'), (84858687, '1772600768'), (80818283, '1772600769'), (00616200, '1772600770'), (61620000, '1772600771')",
		} {
			for _, hex := range []string{"80818283", "84858687", "00616200", "61620000"} {
				statement = strings.ReplaceAll(statement, "("+hex, "("+fmt.Sprintf(value[s.dialect], hex))
			}
			if _, err := writable(t, s).Exec(statement); err != nil {
				t.Fatal(err)
			}
		}
		tb := s.table(source.Columns{Reference: "ref", Time: "at"})
		tb.Name = "keyed"
		got, _, _, err := read(t, tb)
		references := map[string]int{}
		for _, row := range got {
			reference, _, _ := strings.Cut(row, "|")
			references[reference]++
		}
		if err != nil || len(got) != 5 || len(references) != 4 {
			t.Errorf("%s: %q, %v", s.dialect, got, err)
		}
	}
}

// PostgreSQL names the value that a view cannot turn into a number.
func TestNoValueInAnError(t *testing.T) {
	s := servers(t, "CREATE VIEW numbered AS SELECT ref, CAST(job AS int) AS at FROM charges")[0]
	if _, err := s.db.Exec("SELECT at FROM numbered"); err == nil || !strings.Contains(err.Error(), `"m1"`) {
		t.Fatalf("the control: %v", err)
	}
	tb := s.table(source.Columns{Reference: "ref", Time: "at"})
	tb.Name = "numbered"
	_, _, _, err := read(t, tb)
	var e *source.Error
	if !errors.As(err, &e) || !strings.Contains(e.What, "22P02") || strings.Contains(e.What+e.Hint, "m1") {
		t.Errorf("%v", err)
	}
}

// A database that takes the connection and then says nothing is not waited for as long as
// a statement may take; nor is one waited for that is not there.
func TestNoAnswer(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	gone.Close()
	table.Impatient(t)
	for _, l := range []net.Listener{silent, gone} {
		for _, c := range []struct{ driver, dsn, dialect string }{
			{"pgx", "postgres://u:secret@" + l.Addr().String() + "/d?sslmode=disable", table.Postgres}, {"mysql", "u:secret@tcp(" + l.Addr().String() + ")/d", table.MySQL},
		} {
			db, err := sql.Open(c.driver, c.dsn)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			_, _, _, err = read(t, server{c.dialect, db}.table(source.Columns{Reference: "ref", Time: "at"}))
			var e *source.Error
			if !errors.As(err, &e) || !strings.Contains(e.What, "no connection to the database") || !strings.Contains(e.Hint, "--dsn") || strings.Contains(e.What, "secret") {
				t.Errorf("%s: %v", c.driver, err)
			}
		}
	}
}

// A connection pooler that hands each transaction another session finds nothing of ours
// in it.
func TestSessionIsLeftAsItWas(t *testing.T) {
	show := map[string]string{
		table.Postgres: "SELECT current_setting('statement_timeout') || current_setting('transaction_read_only') || current_setting('TimeZone')",
		table.MySQL:    "SELECT concat(@@max_statement_time, @@tx_read_only, @@time_zone, @@autocommit)",
	}
	for _, s := range servers(t)[:2] {
		s.db.SetMaxOpenConns(1)
		var before, after string
		if err := s.db.QueryRow(show[s.dialect]).Scan(&before); err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := read(t, s.table(source.Columns{Reference: "ref", Time: "at"})); err != nil {
			t.Fatal(err)
		}
		if err := s.db.QueryRow(show[s.dialect]).Scan(&after); err != nil || before != after {
			t.Errorf("%s: %s, before it was %s; %v", s.dialect, after, before, err)
		}
	}
}
