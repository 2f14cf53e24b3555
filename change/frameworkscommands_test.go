package change_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/change"
)

// commands are what people type.
type commands struct {
	up, down string
	applied  string // asks for the migrations that were run
	// needsWayBack: it goes on only where it finds every migration that it has run.
	needsWayBack bool
	needs        []string          // programs, beside the database's client
	address      map[string]string // of the database, by dialect
}

// Goose and golang-migrate are built outside this module: whoever takes the guard would
// otherwise have them in their own go.mod.
const (
	gooseCommand   = "go run -tags no_clickhouse,no_libsql,no_mssql,no_vertica,no_ydb github.com/pressly/goose/v3/cmd/goose@v3.30.1 -dir migrations $ADDRESS "
	migrateCommand = "go run -tags pgx5,mysql,sqlite github.com/golang-migrate/migrate/v4/cmd/migrate@v4.20.1 -path migrations -database $ADDRESS "
	python         = "../bin/python/bin/python"
)

var frameworks = map[change.Framework]commands{
	change.SQL: {
		up: "cat migrations/*.sql | $ADDRESS", address: clients,
	},
	change.Rails: {
		up: "rake db:migrate", down: "rake db:rollback",
		applied: "SELECT version FROM schema_migrations ORDER BY 1", needs: []string{"rake"},
		address: map[string]string{"postgres": "postgresql://{place}", "mysql": "mysql2://{place}", "sqlite": "sqlite3://{place}"},
	},
	change.Django: {
		up: "$PYTHON manage.py migrate", down: "$PYTHON manage.py migrate billing 0001",
		applied: "SELECT name FROM django_migrations ORDER BY 1", needs: []string{python},
		address: map[string]string{"postgres": "postgresql://{place}", "mysql": "mysql://{place}", "sqlite": "sqlite://{place}"},
	},
	change.Alembic: {
		up: "$PYTHON -m alembic upgrade head", down: "$PYTHON -m alembic downgrade -1",
		applied: "SELECT version_num FROM alembic_version", needsWayBack: true, needs: []string{python},
		address: map[string]string{"postgres": "postgresql+psycopg://{place}", "mysql": "mysql+pymysql://{place}", "sqlite": "sqlite:///{place}"},
	},
	change.Goose: {
		up: gooseCommand + "up", down: gooseCommand + "down",
		applied: "SELECT CAST(version_id AS CHAR(20)) FROM goose_db_version ORDER BY 1",
		address: map[string]string{"postgres": "postgres {dsn}", "mysql": "mysql {dsn}", "sqlite": "sqlite3 {place}"},
	},
	change.Migrate: {
		up: migrateCommand + "up", down: migrateCommand + "down 1",
		applied: "SELECT CAST(version AS CHAR(20)) FROM schema_migrations", needsWayBack: true,
		address: map[string]string{"postgres": "pgx5://{place}", "mysql": "mysql://{dsn}", "sqlite": "sqlite://{place}"},
	},
}

// clients run what they read.
var clients = map[string]string{
	"postgres": "psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 {dsn}",
	"mysql":    "mariadb --no-defaults --host 127.0.0.1 --user root --port {port} {name}",
	"sqlite":   "sqlite3 -bail {place}",
}

// need skips a test whose framework, or the database's client, is not installed.
func (c commands) need(t *testing.T, dialect string) {
	t.Helper()
	for _, program := range append(strings.Fields(clients[dialect])[:1], c.needs...) {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no %s: make servers workers", program)
		}
	}
}
