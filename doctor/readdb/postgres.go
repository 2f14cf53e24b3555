package readdb

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/twiceproof/twiceproof/doctor"
)

// Postgres reads the server and the table, as the account of the address; what it may
// do is asked of the role, or of the account itself where that is empty.
func Postgres(ctx context.Context, dsn, table, role string) (*doctor.Postgres, *doctor.Table, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, nil, errors.New("the address cannot be read") // the error itself would show it
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeExec // also behind a pool
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	server := &doctor.Postgres{Missing: doctor.Missing{}}
	live := &doctor.Table{Dialect: "postgres", Name: table, Missing: doctor.Missing{}}
	if err := readPool(ctx, conn, server); err != nil {
		return nil, nil, err
	}
	if server.Pool == "statement" {
		return server, live, readSingly(ctx, config, server, live, role)
	}
	err = readOnly(ctx, conn, func(tx pgx.Tx) error { return readPostgres(ctx, tx, server, live, role) })
	if err == nil {
		readHeld(ctx, live, func(count func(querier) error) error {
			return readOnly(ctx, conn, func(tx pgx.Tx) error { return count(tx) })
		})
	}
	return server, live, err
}

// readSingly is for a pool that allows no transaction, and has ended the connection on
// which one was tried. Each statement only reads.
func readSingly(ctx context.Context, config *pgx.ConnConfig, server *doctor.Postgres, live *doctor.Table, role string) error {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := readPostgres(ctx, conn, server, live, role); err != nil {
		return err
	}
	readHeld(ctx, live, func(count func(querier) error) error { return count(conn) })
	return nil
}

// querier is a transaction, or a connection where a pool allows none.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func readOnly(ctx context.Context, conn *pgx.Conn, read func(pgx.Tx) error) error {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly, IsoLevel: pgx.RepeatableRead})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if _, err := tx.Exec(ctx, "SET LOCAL statement_timeout = '10s'"); err != nil {
		return err
	}
	return read(tx)
}

func readPostgres(ctx context.Context, q querier, server *doctor.Postgres, live *doctor.Table, role string) error {
	if err := readSettings(ctx, q, server); err != nil {
		return err
	}
	if err := readStandbys(ctx, q, server); err != nil {
		return err
	}
	return readPostgresTable(ctx, q, live, role)
}

// readSettings takes reset_val: what the connection had when it began, from the server's
// files, the database or the role.
func readSettings(ctx context.Context, q querier, server *doctor.Postgres) error {
	server.Settings = map[string]string{}
	const names = `('fsync', 'full_page_writes', 'synchronous_commit', 'synchronous_standby_names', 'default_transaction_read_only', 'statement_timeout', 'server_encoding')`
	rows, err := q.Query(ctx, "SELECT name, reset_val FROM pg_settings WHERE name IN "+names)
	if err != nil {
		return err
	}
	var name, value string
	if _, err := pgx.ForEachRow(rows, []any{&name, &value}, func() error { server.Settings[name] = value; return nil }); err != nil {
		return err
	}
	return q.QueryRow(ctx, "SELECT current_setting('server_version'), pg_is_in_recovery()").Scan(&server.Version, &server.Standby)
}

// readStandbys: whoever may not see them gets rows without a state. Who reads changes
// out of the log (a logical slot), or copies the files, can take nothing over.
func readStandbys(ctx context.Context, q querier, server *doctor.Postgres) error {
	server.Synchronous = server.Settings["synchronous_standby_names"] != ""
	rows, err := q.Query(ctx, `
SELECT pid::text, coalesce(sync_state, '') FROM pg_stat_replication
WHERE pid IS NOT NULL AND state IS DISTINCT FROM 'backup'
  AND pid NOT IN (SELECT active_pid FROM pg_replication_slots WHERE slot_type = 'logical' AND active_pid IS NOT NULL)`)
	if err != nil {
		return err
	}
	var pid, state string
	_, err = pgx.ForEachRow(rows, []any{&pid, &state}, func() error {
		switch state {
		case "":
			server.Missing["postgres.async_standby"] = "this account may not see the standbys: GRANT pg_monitor"
		case "async", "potential":
			server.Standbys = append(server.Standbys, pid)
		default:
			server.Synchronous = true
		}
		return nil
	})
	return err
}

// readHeld may take long in a large table, which has no index for it.
func readHeld(ctx context.Context, live *doctor.Table, within func(func(querier) error) error) {
	if !live.Exists || live.Kind != "table" && live.Kind != "partitioned table" || !hasColumns(live, "state", "held_at") {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, countLimit)
	defer cancel()
	err := within(func(q querier) error {
		return q.QueryRow(ctx, "SELECT count(*) FROM (SELECT 1 FROM "+live.Name+" WHERE state = 'held' AND held_at < now() - interval '7 days' LIMIT 1000) AS held").Scan(&live.HeldLong)
	})
	if err != nil {
		live.Missing["records.held_unattended"] = fmt.Sprintf("the records could not be counted: %v", err)
	}
}
