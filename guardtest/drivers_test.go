package guardtest_test

import (
	"context"
	"database/sql/driver"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/lib/pq"
	"modernc.org/sqlite"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/guardtest"
	"github.com/twiceproof/twiceproof/internal/testdb"
)

func TestPgx(t *testing.T) {
	guardtest.Exercise(t, func(t *testing.T) guardtest.Setup {
		config, err := pgx.ParseConfig(testdb.Postgres(t))
		if err != nil {
			t.Fatal(err)
		}
		return guardtest.Setup{Dialect: twiceproof.Postgres, Connector: stdlib.GetConnector(*config)}
	})
}

func TestPq(t *testing.T) {
	guardtest.Exercise(t, func(t *testing.T) guardtest.Setup {
		c, err := pq.NewConnector(testdb.Postgres(t))
		if err != nil {
			t.Fatal(err)
		}
		return guardtest.Setup{Dialect: twiceproof.Postgres, Connector: c}
	})
}

func TestMySQL(t *testing.T) {
	for name, set := range map[string]func(*mysql.Config){
		"prepared":     func(*mysql.Config) {},
		"interpolated": func(c *mysql.Config) { c.InterpolateParams = true },
		"found rows":   func(c *mysql.Config) { c.ClientFoundRows = true },
	} {
		t.Run(name, func(t *testing.T) {
			guardtest.Exercise(t, func(t *testing.T) guardtest.Setup {
				config, err := mysql.ParseDSN(testdb.MySQL(t))
				if err != nil {
					t.Fatal(err)
				}
				set(config)
				c, err := mysql.NewConnector(config)
				if err != nil {
					t.Fatal(err)
				}
				return guardtest.Setup{Dialect: twiceproof.MySQL, Connector: c}
			})
		})
	}
}

func TestSQLite(t *testing.T) {
	for journal, dsn := range map[string]func(testing.TB, ...string) string{"wal": testdb.SQLite, "rollback": testdb.SQLiteRollback} {
		t.Run(journal, func(t *testing.T) {
			guardtest.Exercise(t, func(t *testing.T) guardtest.Setup { return sqliteSetup(dsn(t)) })
		})
	}
}

// sqliteSetup does not wait for the disk: these tests cut no power.
func sqliteSetup(dsn string) guardtest.Setup {
	return guardtest.Setup{Dialect: twiceproof.SQLite, Connector: sqliteConnector(dsn + "&_pragma=synchronous(0)")}
}

// sqliteConnector is the driver with an address.
type sqliteConnector string

func (c sqliteConnector) Connect(context.Context) (driver.Conn, error) {
	return c.Driver().Open(string(c))
}
func (c sqliteConnector) Driver() driver.Driver { return &sqlite.Driver{} }
