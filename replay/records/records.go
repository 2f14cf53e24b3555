package records

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"
)

//go:embed postgres/*.sql sqlite/*.sql
var files embed.FS

// Record is what the replay looks at. Rows counts the records of the operation:
// more than one means that the unique key is not there.
type Record struct {
	Rows       int
	State      string
	Token      string
	Acts       int
	Completion string
	HoldReason string
	ClaimAge   time.Duration
	Lease      time.Duration
	Late       bool // an owner that had lost its claim came back
	GivenUp    bool // its holder left by itself
}

// DB is a database that keeps records.
type DB struct {
	db        *sql.DB
	kind      string
	read, age string
	keys      string
}

// Open opens a database of the kind "sqlite" (dsn is a path) or "postgres".
func Open(kind, dsn, table string) (*DB, error) {
	driver, source := "pgx", dsn
	if kind == "sqlite" {
		driver, source = "sqlite", "file:"+dsn+"?_pragma=busy_timeout(10000)&_txlock=immediate"
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	d := &DB{db: db, kind: kind}
	for name, text := range map[string]*string{"read": &d.read, "age": &d.age, "keys": &d.keys} {
		sql, err := files.ReadFile(kind + "/" + name + ".sql")
		if err != nil {
			return nil, fmt.Errorf("unknown kind of database %q", kind)
		}
		*text = strings.ReplaceAll(string(sql), "idempotency_records", table)
	}
	return d, nil
}

// Close closes the connections.
func (d *DB) Close() error { return d.db.Close() }

// Apply runs a schema file.
func (d *DB) Apply(ctx context.Context, script string) error {
	_, err := d.db.ExecContext(ctx, script)
	return err
}

// ServerVersion is what a PostgreSQL server says it is.
func (d *DB) ServerVersion(ctx context.Context) string {
	var version string
	if err := d.db.QueryRowContext(ctx, "SHOW server_version").Scan(&version); err != nil {
		return "unknown"
	}
	return version
}

// Read reads the record of one operation; Rows is 0 when there is none.
func (d *DB) Read(ctx context.Context, jobType, key string) (Record, error) {
	rows, err := d.db.QueryContext(ctx, d.read, jobType, key)
	if err != nil {
		return Record{}, fmt.Errorf("read record: %w", err)
	}
	defer rows.Close()
	var r Record
	for rows.Next() {
		var ageMS, leaseMS int64
		if err := rows.Scan(&r.State, &r.Token, &r.Acts, &r.Completion, &r.HoldReason, &ageMS, &leaseMS, &r.Late, &r.GivenUp); err != nil {
			return Record{}, fmt.Errorf("read record: %w", err)
		}
		r.ClaimAge, r.Lease = time.Duration(ageMS)*time.Millisecond, time.Duration(leaseMS)*time.Millisecond
		r.Rows++
	}
	return r, rows.Err()
}

// Keys lists the operation keys of a job type, in the order of their first claim.
func (d *DB) Keys(ctx context.Context, jobType string) ([]string, error) {
	rows, err := d.db.QueryContext(ctx, d.keys, jobType)
	if err != nil {
		return nil, fmt.Errorf("list records: %w", err)
	}
	defer rows.Close()
	var keys []string
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			return nil, fmt.Errorf("list records: %w", err)
		}
		keys = append(keys, key)
	}
	return keys, rows.Err()
}

// Count counts the rows that an operation's effect has made, by a query that takes
// the operation's value as $1.
func (d *DB) Count(ctx context.Context, query, value string) (int, error) {
	if d.kind == "sqlite" {
		query = strings.ReplaceAll(query, "$1", "?1")
	}
	n, err := d.countOnly(ctx, query, value)
	if err != nil {
		return 0, fmt.Errorf("count effects: %w", err)
	}
	return n, nil
}

// countOnly refuses a query that changes something, such as DELETE … RETURNING 1.
func (d *DB) countOnly(ctx context.Context, query, value string) (n int, err error) {
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Close() // back to the pool
	begin, end := "BEGIN READ ONLY", "ROLLBACK"
	if d.kind == "sqlite" {
		begin, end = "PRAGMA query_only = 1", "PRAGMA query_only = 0"
	}
	if _, err := conn.ExecContext(ctx, begin); err != nil {
		return 0, err
	}
	err = conn.QueryRowContext(ctx, query, value).Scan(&n)
	_, ended := conn.ExecContext(context.WithoutCancel(ctx), end)
	return n, errors.Join(err, ended)
}

//go:embed postgres/locked.sql
var locked string

// Locked tells whether a statement waits for a lock that another one holds. SQLite
// cannot be asked.
func (d *DB) Locked(ctx context.Context) (waits bool, err error) {
	if d.kind == "sqlite" {
		return false, nil
	}
	if err := d.db.QueryRowContext(ctx, locked).Scan(&waits); err != nil {
		return false, fmt.Errorf("ask for locks: %w", err)
	}
	return waits, nil
}

// Age makes the record older: for it, that much time has passed. The lease itself
// is never touched.
func (d *DB) Age(ctx context.Context, jobType, key string, by time.Duration) error {
	if _, err := d.db.ExecContext(ctx, d.age, jobType, key, by.Milliseconds()); err != nil {
		return fmt.Errorf("age record: %w", err)
	}
	return nil
}
