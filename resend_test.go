package twiceproof

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

type sqliteError int

func (e sqliteError) Error() string { return fmt.Sprint("code ", int(e)) }
func (e sqliteError) Code() int     { return int(e) }

func TestMayChange(t *testing.T) {
	for _, state := range []string{"40001", "40P01", "55P03", "08006", "08P01", "53300", "57014", "57P01", "57P02", "57P03", "57P05"} {
		if err := fmt.Errorf("claim: %w", &pgconn.PgError{Code: state}); !mayChange(err) {
			t.Errorf("%s is not sent again", state)
		}
	}
	for _, state := range []string{"25006", "23505", "23514", "42P01", "42501", "22021", "57P04", "26000", ""} {
		if mayChange(&pgconn.PgError{Code: state}) {
			t.Errorf("%s is sent again", state)
		}
	}
	for code, want := range map[int]bool{5: true, 6: true, 261: true, 517: true, 262: true, 8: false, 1: false, 9: false, 19: false, 11: false, 13: false} {
		if got := mayChange(fmt.Errorf("claim: %w", sqliteError(code))); got != want {
			t.Errorf("SQLite %d: %v", code, got)
		}
	}
	for _, err := range []error{io.EOF, driver.ErrBadConn, sql.ErrConnDone, context.DeadlineExceeded, errCut} {
		if !mayChange(err) {
			t.Errorf("%v is not sent again", err)
		}
	}
	if mayChange(fmt.Errorf("x: %w", context.Canceled)) {
		t.Error("a cancelled statement is sent again")
	}
}

func TestResendEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, tries := time.Now(), 0
		err := resend(t.Context(), began.Add(time.Minute), func(context.Context) error { tries++; return errCut })
		if took := time.Since(began); !errors.Is(err, errCut) || took != time.Minute || tries < 30 || tries > 200 {
			t.Errorf("%v after %s and %d tries", err, took, tries)
		}
		began, tries = time.Now(), 0
		err = resend(t.Context(), began.Add(time.Minute), func(ctx context.Context) error { tries++; <-ctx.Done(); return sqliteError(9) })
		if took := time.Since(began); err == nil || took != time.Minute || tries < 10 || tries > 12 {
			t.Errorf("silent: %v after %s and %d tries", err, took, tries)
		}
		began, tries = time.Now(), 0
		err = resend(t.Context(), began.Add(time.Minute), func(context.Context) error { tries++; return sqliteError(8) })
		if time.Since(began) != 0 || tries != 1 || err == nil {
			t.Errorf("read-only: %v after %d tries", err, tries)
		}
	})
}

// Another transaction holds the record for longer than one sending waits.
func TestCompletionWaitsForALock(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		made := newRig(t, databaseOf(SQLite))
		synctest.Test(t, func(t *testing.T) {
			r := newRigOn(t, made)
			res := r.runWith(r.guard(holdJob()), "k", func(ctx context.Context, op *Operation) error {
				conn := lockSQLite(t, r)
				time.AfterFunc(17*time.Second, func() { _ = conn.Close() })
				return r.till.charge(ctx, op)
			})
			r.wantOutcome(res, Completed, true)
		})
	})
	t.Run("postgres", func(t *testing.T) {
		made := newRig(t, databaseOf(Postgres))
		made.dsn += "&statement_timeout=100"
		r := newRigOn(t, made)
		var once sync.Once
		var tx *sql.Tx
		r.faults.onRefusal = func(string, error) { once.Do(func() { _ = tx.Rollback() }) }
		res := r.runWith(r.guard(holdJob()), "k", func(ctx context.Context, op *Operation) error {
			tx = lockPostgres(t, r)
			return r.till.charge(ctx, op)
		})
		r.wantOutcome(res, Completed, true)
		if n := r.faults.timesSent("complete"); n != 2 {
			t.Errorf("sent %d times, so the lock was not in the way", n)
		}
	})
}

func lockSQLite(t *testing.T, r *rig) *sql.DB {
	t.Helper()
	db := r.open()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(context.Background(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	return db
}

func lockPostgres(t *testing.T, r *rig) *sql.Tx {
	t.Helper()
	tx, err := r.plain.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(context.Background(), "SELECT 1 FROM "+r.table+" FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	return tx
}
