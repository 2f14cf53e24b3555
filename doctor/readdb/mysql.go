package readdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/twiceproof/twiceproof/doctor"
)

// MySQL reads the server and the table over one connection of the pool.
func MySQL(ctx context.Context, db *sql.DB, table string) (*doctor.MySQL, *doctor.Table, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = conn.Close() }()
	server := &doctor.MySQL{Missing: doctor.Missing{}, Variables: map[string]string{}}
	live := &doctor.Table{Dialect: "mysql", Name: table, Missing: doctor.Missing{}}
	if err := readVariables(ctx, conn, server); err != nil {
		return nil, nil, err
	}
	readReplication(ctx, conn, server)
	if _, err := conn.ExecContext(ctx, "START TRANSACTION READ ONLY"); err != nil {
		return nil, nil, err
	}
	err = readMySQLTable(ctx, conn, live)
	if _, end := conn.ExecContext(ctx, "ROLLBACK"); err == nil {
		err = end
	}
	if err == nil && live.Exists {
		live.Lacks = mayNot(ctx, conn, table)
	}
	if err == nil && hasColumns(live, "state", "held_at") {
		readMySQLHeld(ctx, conn, live) // last: when its time is over, the connection is closed
	}
	return server, live, err
}

func readVariables(ctx context.Context, conn *sql.Conn, server *doctor.MySQL) error {
	names := []string{
		"innodb_flush_log_at_trx_commit", "sync_binlog", "log_bin", "innodb_doublewrite", "autocommit", "tx_isolation", "transaction_isolation", "read_only",
		"super_read_only", "innodb_read_only", "tx_read_only", "transaction_read_only", "sql_mode", "wait_timeout", "idle_transaction_timeout", "idle_write_transaction_timeout", "max_statement_time",
		"rpl_semi_sync_master_enabled", "rpl_semi_sync_source_enabled",
	}
	rows, err := conn.QueryContext(ctx, "SHOW VARIABLES WHERE Variable_name IN ('"+strings.Join(names, "', '")+"')")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return err
		}
		server.Variables[name] = value
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return conn.QueryRowContext(ctx, "SELECT VERSION()").Scan(&server.Version)
}

// readReplication: both need privileges that a worker's account may well not have.
func readReplication(ctx context.Context, conn *sql.Conn, server *doctor.MySQL) {
	status, processes := "SHOW REPLICA STATUS", "SELECT COUNT(*) FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'"
	rows, err := conn.QueryContext(ctx, status)
	if err != nil {
		rows, err = conn.QueryContext(ctx, "SHOW SLAVE STATUS")
	}
	if err == nil {
		server.Replica = rows.Next()
		err = errors.Join(rows.Err(), rows.Close())
	}
	if err != nil {
		server.Missing["mysql.replica"] = fmt.Sprintf("the account may not ask whether this is a replica: %v", err)
	}
	var all int
	err = conn.QueryRowContext(ctx, processes).Scan(&server.Replicas)
	if err == nil && server.Replicas == 0 {
		// Without PROCESS an account sees its own threads alone.
		err = conn.QueryRowContext(ctx, "SELECT COUNT(*) FROM information_schema.user_privileges WHERE privilege_type = 'PROCESS'").Scan(&all)
		if err == nil && all == 0 {
			err = errors.New("it has no PROCESS privilege")
		}
	}
	if err != nil && on(server.Variables["log_bin"]) {
		server.Missing["mysql.async_replica"] = fmt.Sprintf("the account may not see whether replicas are connected: %v", err)
	}
}

func on(value string) bool { return strings.EqualFold(value, "ON") || value == "1" }

func readMySQLHeld(ctx context.Context, conn *sql.Conn, live *doctor.Table) {
	ctx, cancel := context.WithTimeout(ctx, countLimit)
	defer cancel()
	err := conn.QueryRowContext(ctx, "SELECT COUNT(*) FROM (SELECT 1 FROM "+live.Name+" WHERE state = 'held' AND held_at < UTC_TIMESTAMP(6) - INTERVAL 7 DAY LIMIT 1000) AS held").Scan(&live.HeldLong)
	if err != nil {
		live.Missing["records.held_unattended"] = fmt.Sprintf("the records could not be counted: %v", err)
	}
}

// mayNot asks for a plan of what a worker does: that needs the same privileges, also
// those that come by a role, and changes nothing.
func mayNot(ctx context.Context, conn *sql.Conn, table string) (lacks []string) {
	for _, try := range []struct{ name, statement string }{
		{"SELECT", "SELECT acts FROM " + table + " WHERE 1 = 0"},
		{"INSERT", "INSERT INTO " + table + " (job_type) VALUES ('x')"},
		{"UPDATE", "UPDATE " + table + " SET acts = acts WHERE 1 = 0"},
	} {
		err := explained(ctx, conn, try.statement)
		var answer *mysql.MySQLError
		if errors.As(err, &answer) && (answer.Number == 1142 || answer.Number == 1143 || answer.Number == 1044) {
			lacks = append(lacks, try.name)
		}
	}
	return lacks
}

func explained(ctx context.Context, conn *sql.Conn, statement string) error {
	rows, err := conn.QueryContext(ctx, "EXPLAIN "+statement)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	return rows.Err()
}
