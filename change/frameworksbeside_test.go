package change_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/change"
	"github.com/twiceproof/twiceproof/dialect"
)

// somewhere is PostgreSQL, or each of them with TWICEPROOF_FULL=1.
func somewhere(t *testing.T, f change.Framework, test func(t *testing.T, p *project)) {
	t.Helper()
	for _, d := range dialect.Names() {
		if d != "postgres" && os.Getenv("TWICEPROOF_FULL") == "" {
			continue
		}
		t.Run(d, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, f, d)
			p.initialise()
			test(t, p)
		})
	}
}

// elsewhere runs a line of the project on another database, and gives what doctor finds
// there.
func (p *project) elsewhere(line string) []string {
	p.t.Helper()
	here := p.db
	defer func() { p.db = here }()
	p.db = newDatabase(p.t, here.dialect)
	p.run(strings.ReplaceAll(line, "$CLIENT", p.db.fill(clients[here.dialect])))
	return p.db.findings()
}

// The migration asks for structure.sql; db/schema.rb leaves out what the guard needs.
func TestRailsSchemaFile(t *testing.T) {
	somewhere(t, change.Rails, func(t *testing.T, p *project) {
		p.run(p.up)
		if got := p.elsewhere("rake db:schema:load"); len(got) > 0 {
			t.Errorf("from structure.sql: %q", got)
		}
		p.run("SCHEMA_FORMAT=ruby rake db:schema:dump")
		if got := p.elsewhere("SCHEMA_FORMAT=ruby rake db:schema:load"); len(got) == 0 || slices.Contains(got, "table.missing") {
			t.Errorf("from schema.rb: %q", got)
		}
	})
}

// Django sees nothing to do about a table without a model, and prints a migration that can
// be run by hand.
func TestDjangoBeside(t *testing.T) {
	somewhere(t, change.Django, func(t *testing.T, p *project) {
		p.run(p.up)
		p.run("$PYTHON manage.py makemigrations --check --dry-run")
		if got := p.elsewhere("$PYTHON manage.py sqlmigrate billing 0002 >out.sql && $CLIENT <out.sql"); len(got) > 0 {
			t.Errorf("by hand: %q", got)
		}
	})
}

// Alembic prints revisions that can be run by hand, and would drop the table by itself
// unless it is left out as the revision says.
func TestAlembicBeside(t *testing.T) {
	somewhere(t, change.Alembic, func(t *testing.T, p *project) {
		if got := p.elsewhere("$PYTHON -m alembic upgrade head --sql | $CLIENT"); len(got) > 0 {
			t.Errorf("by hand: %q", got)
		}
		p.run(p.up)
		if output, err := p.try("LEFT_OUT=idempotency_records $PYTHON -m alembic check"); err != nil {
			t.Errorf("left out: %v\n%s", err, output)
		}
		if output, err := p.try("$PYTHON -m alembic check"); err == nil || !strings.Contains(output, "remove_table") {
			t.Errorf("not left out: %v\n%s", err, output)
		}
	})
}
