package testdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/twiceproof/twiceproof/lab/postgres"
)

// skipEnv, when not empty, skips tests whose server's programs are missing.
const skipEnv = "TWICEPROOF_SKIP_SERVERS"

// limit bounds one administrative statement.
const limit = 30 * time.Second

var (
	databases atomic.Int64
	templates = newTemplates()
)

// server is shared by the tests of this process. The watchdog of lab/postgres
// ends it with the process.
var server = sync.OnceValues(func() (*postgres.Server, error) {
	return postgres.Start(context.Background())
})

// Postgres returns the DSN of a new, private database, in which the schema's
// statements have been run. Tests with the same schema get copies of one
// template.
func Postgres(t testing.TB, schema ...string) string {
	t.Helper()
	s, err := server()
	Started(t, err)
	template, err := templates.get(s, schema)
	if err != nil {
		t.Fatalf("testdb: %v", err)
	}
	name := fmt.Sprintf("test_%d", databases.Add(1))
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	if err := s.CreateDatabase(ctx, name, template); err != nil {
		t.Fatalf("testdb: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		if err := s.DropDatabase(ctx, name); err != nil {
			t.Errorf("testdb: %v", err)
		}
	})
	return s.DSN(name)
}

// Started ends a test whose own server did not start. It does nothing without an error.
func Started(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		missing(t, os.Getenv(skipEnv), err)
	}
}

// missing ends a test whose server did not start: with a skip only when the
// programs are not there and the caller said that this is fine.
func missing(t testing.TB, skip string, err error) {
	t.Helper()
	var notInstalled interface {
		error
		Hint() string
	}
	if !errors.As(err, &notInstalled) {
		t.Fatalf("testdb: %v", err)
	}
	if skip != "" {
		t.Skipf("testdb: %v (%s is set)", err, skipEnv)
	}
	t.Fatalf("testdb: %v\nhint: %s\nhint: or set %s=1 to go without", err, notInstalled.Hint(), skipEnv)
}

// templateSet holds one template database for each schema.
type templateSet struct {
	mu    sync.Mutex
	names map[string]string
}

func newTemplates() *templateSet { return &templateSet{names: map[string]string{}} }

func (ts *templateSet) get(s *postgres.Server, schema []string) (string, error) {
	if len(schema) == 0 {
		return "", nil
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	key := strings.Join(schema, "\x00")
	if name, ok := ts.names[key]; ok {
		return name, nil
	}
	name := fmt.Sprintf("template_%d", databases.Add(1))
	if err := makeTemplate(s, name, schema); err != nil {
		return "", err
	}
	ts.names[key] = name
	return name, nil
}

func makeTemplate(s *postgres.Server, name string, schema []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := s.CreateDatabase(ctx, name, ""); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, s.DSN(name))
	if err != nil {
		return fmt.Errorf("connect to template: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, statements := range schema {
		if _, err := conn.Exec(ctx, statements); err != nil {
			return fmt.Errorf("run schema: %w", err)
		}
	}
	return nil
}
