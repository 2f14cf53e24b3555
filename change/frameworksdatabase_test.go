package change_test

import (
	"database/sql"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/doctor"
	"github.com/twiceproof/twiceproof/doctor/readdb"
	"github.com/twiceproof/twiceproof/internal/testdb"
)

// database is a private, empty one.
type database struct {
	*sql.DB
	t       *testing.T
	dialect string
	dsn     string
	place   string // the address without its scheme
	port    string
	name    string
}

func newDatabase(t *testing.T, dialect string) *database {
	t.Helper()
	d := &database{t: t, dialect: dialect}
	driver := dialect
	switch dialect {
	case "postgres":
		d.dsn = testdb.Postgres(t)
		driver, d.place = "pgx", strings.TrimPrefix(d.dsn, "postgresql://")
	case "mysql":
		d.dsn = testdb.MySQL(t)
		config := d.config()
		_, port, err := net.SplitHostPort(config.Addr)
		if err != nil {
			t.Fatal(err)
		}
		d.port, d.name, d.place = port, config.DBName, config.User+"@"+config.Addr+"/"+config.DBName
	default:
		d.dsn = testdb.SQLite(t)
		address, err := url.Parse(d.dsn)
		if err != nil {
			t.Fatal(err)
		}
		d.place = address.Path
	}
	db, err := sql.Open(driver, d.dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	d.DB = db
	return d
}

func (d *database) config() *mysql.Config {
	d.t.Helper()
	config, err := mysql.ParseDSN(d.dsn)
	if err != nil {
		d.t.Fatal(err)
	}
	return config
}

// fill puts the database's own into a command or an address.
func (d *database) fill(text string) string {
	return strings.NewReplacer("{dsn}", d.dsn, "{place}", d.place, "{port}", d.port, "{name}", d.name).Replace(text)
}

func (d *database) exec(statements ...string) {
	d.t.Helper()
	for _, s := range statements {
		if _, err := d.ExecContext(d.t.Context(), s); err != nil {
			d.t.Fatalf("%s: %v", s, err)
		}
	}
}

// texts are a query's values, of one column.
func (d *database) texts(query string) (values []string) {
	d.t.Helper()
	rows, err := d.QueryContext(d.t.Context(), query)
	if err != nil {
		d.t.Fatalf("%s: %v", query, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var value string
		if err := rows.Scan(&value); err != nil {
			d.t.Fatal(err)
		}
		values = append(values, value)
	}
	if err := rows.Err(); err != nil {
		d.t.Fatal(err)
	}
	return values
}

// findings are what doctor finds, or cannot tell, about the table.
func (d *database) findings() (ids []string) {
	d.t.Helper()
	var table *doctor.Table
	var err error
	switch d.dialect {
	case "postgres":
		_, table, err = readdb.Postgres(d.t.Context(), d.dsn, dialect.Table, "")
	case "mysql":
		_, table, err = readdb.MySQL(d.t.Context(), d.DB, dialect.Table)
	default:
		_, table, err = readdb.SQLite(d.t.Context(), d.place, d.dsn, dialect.Table)
	}
	if err != nil {
		d.t.Fatal(err)
	}
	report := doctor.Examine(doctor.Facts{Table: table})
	for _, f := range report.Findings {
		ids = append(ids, f.ID)
	}
	for _, g := range report.Gaps {
		ids = append(ids, g.ID+": "+g.Reason)
	}
	return ids
}

// dropKey: SQLite's table is made anew for it.
func (d *database) dropKey() {
	d.t.Helper()
	switch d.dialect {
	case "postgres":
		d.exec("ALTER TABLE idempotency_records DROP CONSTRAINT idempotency_records_pkey")
	case "mysql":
		d.exec("ALTER TABLE idempotency_records DROP PRIMARY KEY")
	default:
		text := d.texts("SELECT sql FROM sqlite_master WHERE name = 'idempotency_records'")[0]
		d.exec("DROP TABLE idempotency_records",
			strings.NewReplacer("PRIMARY KEY (job_type, operation_key),", "", "WITHOUT ROWID", "").Replace(text))
	}
}
