package testdb

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/twiceproof/twiceproof/lab/mariadb"
)

// mysqlServer is shared by the tests of this process, and ends with it.
var mysqlServer = sync.OnceValues(func() (*mariadb.Server, error) {
	return mariadb.Start(context.Background())
})

// MySQL returns the DSN of a new, private database of a MariaDB, for
// sql.Open("mysql", dsn), with parseTime, in which the schema's statements have
// been run. The DSN takes one statement at a time, the schema several.
func MySQL(t testing.TB, schema ...string) string {
	t.Helper()
	s, err := mysqlServer()
	Started(t, err)
	name := fmt.Sprintf("test_%d", databases.Add(1))
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	if err := s.CreateDatabase(ctx, name); err != nil {
		t.Fatalf("testdb: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		if err := s.DropDatabase(ctx, name); err != nil {
			t.Errorf("testdb: %v", err)
		}
	})
	if err := runMySQL(ctx, s.DSN(name), schema); err != nil {
		t.Fatalf("testdb: run schema: %v", err)
	}
	return s.DSN(name)
}

func runMySQL(ctx context.Context, dsn string, schema []string) error {
	config, err := mysql.ParseDSN(dsn)
	if err != nil {
		return err
	}
	config.MultiStatements = true
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer func() { _ = db.Close() }()
	for _, statements := range schema {
		if _, err := db.ExecContext(ctx, statements); err != nil {
			return err
		}
	}
	return nil
}
