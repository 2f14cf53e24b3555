package records

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"strings"
	"time"
)

//go:embed mysql/*.sql postgres/*.sql sqlite/*.sql
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
	Policy     string // under which it was claimed last
	ClaimAge   time.Duration
	Lease      time.Duration
	Late       bool // an owner that had lost its claim came back
	GivenUp    bool // its holder left by itself
}

// DB is a database that keeps records.
type DB struct {
	db                      *sql.DB
	kind                    string
	read, age, keys, locked string
}

// Open opens a database of the kind "sqlite" (dsn is a path), "postgres" or "mysql"
// (dsn is in the form of go-sql-driver/mysql).
func Open(kind, dsn, table string) (*DB, error) {
	db, err := open(kind, dsn)
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
	if sql, err := files.ReadFile(kind + "/locked.sql"); err == nil { // SQLite cannot be asked
		d.locked = string(sql)
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

// ServerVersion is what the server says it is; SQLite has none.
func (d *DB) ServerVersion(ctx context.Context) string {
	var version string
	if err := d.db.QueryRowContext(ctx, versions[d.kind]).Scan(&version); err != nil {
		return "unknown"
	}
	return version
}

var versions = map[string]string{"postgres": "SHOW server_version", "mysql": "SELECT VERSION()"}

// Read reads the record of one operation; Rows is 0 when there is none.
func (d *DB) Read(ctx context.Context, jobType, key string) (Record, error) {
	query, args := d.bind(d.read, jobType, key)
	rows, err := d.db.QueryContext(ctx, query, args...)
	if err != nil {
		return Record{}, fmt.Errorf("read record: %w", err)
	}
	defer rows.Close()
	var r Record
	for rows.Next() {
		var ageMS, leaseMS int64
		if err := rows.Scan(&r.State, &r.Token, &r.Acts, &r.Completion, &r.HoldReason, &ageMS, &leaseMS, &r.Late, &r.GivenUp, &r.Policy); err != nil {
			return Record{}, fmt.Errorf("read record: %w", err)
		}
		r.ClaimAge, r.Lease = time.Duration(ageMS)*time.Millisecond, time.Duration(leaseMS)*time.Millisecond
		r.Rows++
	}
	return r, rows.Err()
}

// Keys lists the operation keys of a job type, in the order of their first claim.
func (d *DB) Keys(ctx context.Context, jobType string) ([]string, error) {
	query, args := d.bind(d.keys, jobType)
	rows, err := d.db.QueryContext(ctx, query, args...)
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

// Locked tells whether a statement waits for a lock that another one holds. SQLite
// cannot be asked.
func (d *DB) Locked(ctx context.Context) (waits bool, err error) {
	if d.locked == "" {
		return false, nil
	}
	if err := d.db.QueryRowContext(ctx, d.locked).Scan(&waits); err != nil {
		return false, fmt.Errorf("ask for locks: %w", err)
	}
	return waits, nil
}

// IsWritable tells, without waiting, whether nobody holds the lock without which nothing can
// be written: SQLite has one for the whole file, others have none.
func (d *DB) IsWritable(ctx context.Context) bool {
	if d.kind != "sqlite" {
		return true
	}
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return false
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "PRAGMA busy_timeout = 0"); err != nil {
		return false
	}
	defer func() { // it asks nobody for a lock; left out, as when ctx has ended, whoever has this connection next would not wait
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), fmt.Sprintf("PRAGMA busy_timeout = %d", busyTimeout))
	}()
	tx, err := conn.BeginTx(ctx, nil) // takes it at once: see open
	if err != nil {
		return false
	}
	return tx.Rollback() == nil
}

// Age makes the record older: for it, that much time has passed. The lease itself
// is never touched.
func (d *DB) Age(ctx context.Context, jobType, key string, by time.Duration) error {
	if d.kind == "mysql" { // which would wait for a record that is not committed, and does not exist yet
		if r, err := d.Read(ctx, jobType, key); err != nil || r.Rows == 0 {
			return err
		}
	}
	change, args := d.bind(d.age, jobType, key, by.Milliseconds())
	if _, err := d.db.ExecContext(ctx, change, args...); err != nil {
		return fmt.Errorf("age record: %w", err)
	}
	return nil
}
