package readdb

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/twiceproof/twiceproof/doctor"
)

// attempts to see one server process serve two connections: on a busy pool another one
// may come in between.
const attempts = 10

// readPool finds out what is in between by what it does. A pool greets with a process
// number of its own, since a cancel request has to find its way through it. Between
// transactions it either keeps the server process for this connection, or gives it to
// the next one that asks.
func readPool(ctx context.Context, conn *pgx.Conn, server *doctor.Postgres) error {
	answered, err := processOf(ctx, conn)
	if err != nil {
		return err
	}
	if answered == conn.PgConn().PID() {
		return nil
	}
	server.Pooled = true
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly})
	if err != nil {
		var refused *pgconn.PgError
		if errors.As(err, &refused) {
			server.Pool = "statement"
			return nil
		}
		return err
	}
	_ = tx.Rollback(ctx)
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	second, err := pgx.ConnectConfig(ctx, conn.Config())
	if err != nil { // a pool of one connection, or no place in it
		server.Missing["pgbouncer.transaction_mode"] = "there is a pool, and a second connection to it, which would show its mode, was not to be had"
		return nil
	}
	defer func() { _ = second.Close(context.WithoutCancel(ctx)) }()
	server.Pool, err = modeOf(ctx, conn, second)
	if err != nil {
		server.Missing["pgbouncer.transaction_mode"] = "there is a pool, and its mode did not show: " + err.Error()
	}
	return nil
}

func modeOf(ctx context.Context, first, second *pgx.Conn) (string, error) {
	for range attempts {
		one, err := processOf(ctx, first)
		if err != nil {
			return "", err
		}
		other, err := processOf(ctx, second)
		if err != nil {
			return "", err
		}
		if one == other {
			return "transaction", nil
		}
	}
	return "session", nil
}

func processOf(ctx context.Context, conn *pgx.Conn) (pid uint32, err error) {
	err = conn.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&pid)
	return pid, err
}
