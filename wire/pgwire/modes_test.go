package pgwire_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	insert  = "insert into t values ($1, $2)"
	insertQ = "insert into t values ( ? , ? )" // pgx inlines the arguments with blanks
)

// One job in each of pgx's modes: the same effects, and the steps that a reader
// would expect.
func TestModes(t *testing.T) {
	for mode, want := range map[pgx.QueryExecMode][]string{
		pgx.QueryExecModeCacheStatement: {
			"BEGIN [BEGIN T]", "Parse " + insert + " [T]", insert + " [INSERT 0 1 T]", insert + " [INSERT 0 1 T]", "COMMIT [COMMIT I]",
			"Parse select id from t where id > $1 [I]", "select id from t where id > $1 [SELECT 2 I]", insert + " [ERROR 23505 I]",
		},
		pgx.QueryExecModeCacheDescribe: {
			"BEGIN [BEGIN T]", "Parse " + insert + " [T]", insert + " [INSERT 0 1 T]", insert + " [INSERT 0 1 T]", "COMMIT [COMMIT I]",
			"Parse select id from t where id > $1 [I]", "select id from t where id > $1 [SELECT 2 I]", insert + " [ERROR 23505 I]",
		},
		pgx.QueryExecModeDescribeExec: {
			"BEGIN [BEGIN T]", "Parse " + insert + " [T]", insert + " [INSERT 0 1 T]", "Parse " + insert + " [T]", insert + " [INSERT 0 1 T]", "COMMIT [COMMIT I]",
			"Parse select id from t where id > $1 [I]", "select id from t where id > $1 [SELECT 2 I]", "Parse " + insert + " [I]", insert + " [ERROR 23505 I]",
		},
		pgx.QueryExecModeExec: {
			"BEGIN [BEGIN T]", insert + " [INSERT 0 1 T]", insert + " [INSERT 0 1 T]", "COMMIT [COMMIT I]",
			"select id from t where id > $1 [SELECT 2 I]", insert + " [ERROR 23505 I]",
		},
		pgx.QueryExecModeSimpleProtocol: {
			"BEGIN [BEGIN T]", insertQ + " [INSERT 0 1 T]", insertQ + " [INSERT 0 1 T]", "COMMIT [COMMIT I]",
			"select id from t where id > ? [SELECT 2 I]", insertQ + " [ERROR 23505 I]",
		},
	} {
		t.Run(mode.String(), func(t *testing.T) {
			s := start(t)
			config, err := pgx.ParseConfig(s.proxied)
			if err != nil {
				t.Fatal(err)
			}
			config.DefaultQueryExecMode = mode
			conn, err := pgx.ConnectConfig(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			defer closeNow(conn)
			job(t, conn)
			s.Want(t, want...)
			if n := s.count(t); n != 2 {
				t.Errorf("%d rows", n)
			}
		})
	}
}

func job(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	execOn(t, conn, insert, 1, "a")
	execOn(t, conn, insert, 2, "it's")
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	rows, err := conn.Query(t.Context(), "select id from t where id > $1", 0)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	if err != nil || len(ids) != 2 {
		t.Errorf("%v %v", ids, err)
	}
	_, err = conn.Exec(t.Context(), insert, 1, "again")
	if code := sqlState(err); code != "23505" {
		t.Errorf("error %v", err)
	}
}

func sqlState(err error) string {
	var pg *pgconn.PgError
	errors.As(err, &pg)
	if pg == nil {
		return ""
	}
	return pg.Code
}

// A transaction that has failed answers ROLLBACK to COMMIT.
func TestFailedTransaction(t *testing.T) {
	s := start(t)
	conn := connect(t, s.proxied)
	execOn(t, conn, "BEGIN; INSERT INTO t VALUES (1, 'a')")
	if _, err := conn.Exec(t.Context(), "SELECT 1/0"); sqlState(err) != "22012" {
		t.Fatal(err)
	}
	execOn(t, conn, "COMMIT")
	s.Want(t, "BEGIN; INSERT INTO t VALUES (?, ?) [BEGIN; INSERT 0 1 T]",
		"SELECT ?/? [ERROR 22012 E]", "COMMIT [ROLLBACK I]")
}
