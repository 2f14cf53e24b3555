package pgbouncer

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/twiceproof/twiceproof/lab/internal/process/processtest"
	"github.com/twiceproof/twiceproof/lab/postgres"
)

// database is the server behind, which tests share.
var database = sync.OnceValues(func() (*postgres.Server, error) { return postgres.Start(context.Background()) })

func TestMain(m *testing.M) { processtest.Main(m, beOwner) }

func behind(t *testing.T) *postgres.Server {
	t.Helper()
	s, err := database()
	if err != nil {
		t.Fatal(processtest.Explain(err))
	}
	return s
}

func own(t *testing.T, mode string, poolSize int) *Server {
	t.Helper()
	s, err := Start(t.Context(), behind(t), mode, poolSize)
	if err != nil {
		t.Fatal(processtest.Explain(err))
	}
	t.Cleanup(func() { _ = s.Stop() })
	return s
}

// connect uses the simple protocol: in transaction mode a prepared statement
// may be sought on another connection than it was made on.
func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func query[T any](t *testing.T, conn *pgx.Conn, sql string) T {
	t.Helper()
	var value T
	if err := conn.QueryRow(t.Context(), sql).Scan(&value); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return value
}

func run(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func TestDatabaseMadeLater(t *testing.T) {
	s := own(t, "transaction", 2)
	const name = "made later"
	if err := behind(t).CreateDatabase(t.Context(), name, ""); err != nil {
		t.Fatal(err)
	}
	if got := query[string](t, connect(t, s.DSN(name)), "SELECT current_database()"); got != name {
		t.Errorf("connected to %q", got)
	}
	if err := behind(t).DropDatabase(t.Context(), name); err != nil { // the pool has a connection open
		t.Error(err)
	}
}

func TestServerRestarted(t *testing.T) {
	server, err := postgres.Start(t.Context())
	if err != nil {
		t.Fatal(processtest.Explain(err))
	}
	defer func() { _ = server.Stop() }()
	s, err := Start(t.Context(), server, "transaction", 2)
	if err != nil {
		t.Fatal(processtest.Explain(err))
	}
	defer func() { _ = s.Stop() }()
	conn := connect(t, s.DSN("postgres"))
	run(t, conn, "BEGIN")
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "COMMIT"); err == nil {
		t.Error("a transaction outlived its server")
	}
	processtest.Eventually(t, "the pool does not find the server again", func() bool {
		conn, err := pgx.Connect(t.Context(), s.DSN("postgres"))
		if err != nil {
			return false
		}
		defer func() { _ = conn.Close(context.Background()) }()
		return conn.Ping(t.Context()) == nil
	})
}

func TestSeveralAtOnceAndStop(t *testing.T) {
	first, second := own(t, "transaction", 1), own(t, "transaction", 1)
	if err := second.Stop(); err != nil {
		t.Fatal(err)
	}
	processtest.Gone(t, second.group.Dir, second.group.Port)
	if err := second.Stop(); err != nil {
		t.Errorf("second Stop: %v", err)
	}
	if got := query[string](t, connect(t, first.DSN("postgres")), "SELECT 'alive'"); got != "alive" {
		t.Error(got)
	}
	if info, err := os.Stat(first.group.Dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is open to others: %v, %v", info, err)
	}
}

func TestUnknownMode(t *testing.T) {
	_, err := Start(t.Context(), behind(t), "sometimes", 1)
	if err == nil || !strings.Contains(err.Error(), "sometimes") {
		t.Errorf("the reason is not in the error: %v", err)
	}
}
