package change

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/twiceproof/twiceproof/internal/golden"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

// A repository of each framework, with what tells it.
var repositories = map[Framework]fstest.MapFS{
	SQL:     {"README.md": {}},
	Rails:   {"config/application.rb": {}, ".github/workflows/ci.yml": {}},
	Django:  {"manage.py": {}, "billing/migrations/__init__.py": {}, "billing/migrations/0001_initial.py": {}, "billing/migrations/0007_orders.py": {Data: []byte("dependencies = [(\"billing\", \"0001_initial\"), (\"auth\", \"0001_initial\")]")}},
	Alembic: {"alembic.ini": {Data: []byte("[alembic]\nscript_location = %(here)s/db\n")}, "db/versions/a1_first.py": {Data: []byte("revision = 'a1'\ndown_revision = None\n")}, "db/versions/b2_second.py": {Data: []byte("revision: str = \"b2\"\ndown_revision: str | None = \"a1\"\n")}},
	Goose:   {"db/migrations/001_first.sql": {Data: []byte("-- +goose Up\n")}, ".gitlab-ci.yml": {}},
	Migrate: {"migrations/1_first.up.sql": {}},
}

func requestOf(f Framework, dialect string, q job.Queue, kind job.EffectKind) Request {
	keys := map[job.Queue][]string{job.SQS: {"body.order.id", "body.amount"}, job.Sidekiq: {"args[0].order_id", "args[1]"}, job.Celery: {"kwargs.order_id", "kwargs.amount"}}
	j := job.Job{Type: "charge.create", Queue: q, Message: map[job.Queue]string{job.SQS: "charges", job.Sidekiq: "ChargeJob", job.Celery: "billing.charge"}[q], Effect: job.Effect{Kind: kind}, LongestRun: 10 * time.Second, Lease: time.Minute}
	j.Operation.Key = []job.Path{job.MustParsePath(keys[q][0])}
	j.Operation.Fingerprint = []job.Path{job.MustParsePath(keys[q][1])}
	if kind == job.Outside {
		j.Stale = job.Stale{Policy: job.Lookup, Settle: time.Second}
	}
	return Request{Job: j, Table: "idempotency_records", Dialect: dialect, Framework: f, Now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Commit: map[Framework]string{SQL: "", Rails: "9e5b4f4a1c2d"}[f], Repository: repositories[f]}
}

func TestGuess(t *testing.T) {
	for want, repository := range repositories {
		if got := Guess(repository); got != want {
			t.Errorf("%s taken for %s", want, got)
		}
	}
}

// Every text of every framework, queue and kind of effect, as people will read it.
func TestGolden(t *testing.T) {
	var b bytes.Buffer
	requests := []Request{}
	for _, f := range Frameworks() {
		requests = append(requests, requestOf(f, "postgres", job.Sidekiq, job.Outside))
	}
	for _, q := range []job.Queue{job.SQS, job.Celery} {
		requests = append(requests, requestOf(SQL, "mysql", q, job.OwnRow), requestOf(SQL, "sqlite", q, job.Outside))
	}
	for _, r := range requests {
		files, err := Files(r)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "==== %s, %s, %s, %s\n", r.Framework, r.Dialect, r.Job.Queue, r.Job.Effect.Kind)
		for _, f := range files {
			fmt.Fprintf(&b, "-- %s (%s)\n%s", f.Path, f.What, f.Text)
		}
	}
	golden.Check(t, "testdata/files.txt", b.Bytes())
}

// The replay file is sound for its job: its message has the operation key.
func TestReplayFileFitsItsJob(t *testing.T) {
	for _, q := range []job.Queue{job.SQS, job.Sidekiq, job.Celery} {
		for _, kind := range []job.EffectKind{job.Outside, job.OwnRow} {
			for _, dialect := range []string{"postgres", "mysql", "sqlite"} {
				r := requestOf(SQL, dialect, q, kind)
				text := replayTextOf(t, r)
				spec, err := jobfile.ParseReplay("twiceproof.replay.yaml", []byte(filledIn.Replace(text)))
				if err == nil {
					_, err = spec.JobOf(&jobfile.File{Jobs: []job.Job{r.Job}})
				}
				if err != nil {
					t.Errorf("%s, %s, %s: %v\n%s", q, kind, dialect, err, text)
				}
			}
		}
	}
}

// filledIn is what a person writes who has read the remarks.
var filledIn = strings.NewReplacer("outside: FILL_IN", "outside: PAYMENTS_URL", "act: FILL_IN", "act: POST /charges", "operation: FILL_IN", "operation: body.order_id",
	"reference: FILL_IN", "reference: body.reference", "look_up: FILL_IN", "look_up: GET /charges/{reference}", "FILL_IN", "written")

func replayTextOf(t *testing.T, r Request) string {
	t.Helper()
	f, err := replayFile(r)
	if err != nil {
		t.Fatal(err)
	}
	return f.Text
}

func sketchTextOf(t *testing.T, r Request) string {
	t.Helper()
	f, err := sketchOf(r)
	if err != nil {
		t.Fatal(err)
	}
	return f.Text
}

func TestProblems(t *testing.T) {
	for name, c := range map[string]struct {
		framework  Framework
		repository fstest.MapFS
		what       string
	}{
		"no Django application":  {Django, fstest.MapFS{"manage.py": {}}, "no Django application"},
		"two of them":            {Django, fstest.MapFS{"a/migrations/__init__.py": {}, "b/migrations/__init__.py": {}}, "several Django applications"},
		"no alembic.ini":         {Alembic, fstest.MapFS{}, "no alembic.ini"},
		"one without a location": {Alembic, fstest.MapFS{"alembic.ini": {Data: []byte("[alembic]\n")}}, "no script_location"},
		"a package":              {Alembic, fstest.MapFS{"alembic.ini": {Data: []byte("script_location = shop:migrations\n")}}, "does not read"},
		"several locations":      {Alembic, fstest.MapFS{"alembic.ini": {Data: []byte("script_location = db\nversion_locations = a b\n")}}, "does not read"},
		"two leaves": {Django, fstest.MapFS{
			"a/migrations/__init__.py": {}, "a/migrations/0001_one.py": {},
			"a/migrations/0002_two.py": {Data: []byte("dependencies = [('a', '0001_one')]")}, "a/migrations/0002_three.py": {Data: []byte("dependencies = [(\"a\", \"0001_one\")]")},
		}, "Django has several heads: 0002_three, 0002_two"},
		"two heads": {Alembic, fstest.MapFS{
			"alembic.ini":      {Data: []byte("script_location = db\n")},
			"db/versions/a.py": {Data: []byte("revision = 'a'\n")}, "db/versions/b.py": {Data: []byte("revision = 'b'\n")},
		}, "several heads: a, b"},
	} {
		r := requestOf(c.framework, "postgres", job.SQS, job.Outside)
		r.Repository = c.repository
		if _, err := Files(r); err == nil || !strings.Contains(err.Error(), c.what) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Files(requestOf(SQL, "oracle", job.SQS, job.Outside)); err == nil {
		t.Error("a database that is not known was taken")
	}
}

// What comes before is found however it is written.
func TestWhatAMigrationComesAfter(t *testing.T) {
	merged := fstest.MapFS{
		"alembic.ini": {Data: []byte("script_location = db\n")}, "db/versions/a.py": {Data: []byte("revision = 'a'\n")}, "db/versions/b.py": {Data: []byte("revision = 'b'\n")},
		"db/versions/m.py": {Data: []byte("revision = 'm'\ndown_revision = (\n    'a',\n    'b',\n)\n")},
	}
	for name, c := range map[string]struct {
		framework  Framework
		repository fstest.MapFS
		path, text string
	}{
		"a merge":            {Alembic, merged, "", `down_revision = "m"`},
		"the first revision": {Alembic, fstest.MapFS{"alembic.ini": {Data: []byte("script_location = ./db\r\n")}, "db/env.py": {}}, "", "down_revision = None"},
		"a leaf of a low number": {Django, fstest.MapFS{
			"a/migrations/__init__.py": {}, "a/migrations/0005_old.py": {Data: []byte("")},
			"a/migrations/0002_new.py": {Data: []byte("dependencies = [('a', '0005_old')]")},
		}, "a/migrations/0003_idempotency_records.py", `("a", "0002_new")`},
		"a folder that counts": {Goose, fstest.MapFS{"migrations/009_nine.sql": {}}, "migrations/010_create_idempotency_records.sql", "+goose Up"},
		"an older Rails": {Rails, fstest.MapFS{
			"db/migrate/20180101000000_first.rb": {Data: []byte("class First < ActiveRecord::Migration[5.0]\n")}, "db/migrate/20190101000000_second.rb": {Data: []byte("class Second < ActiveRecord::Migration[5.2]\n")},
		}, "db/migrate/20261130120000_create_idempotency_records.rb", "class CreateIdempotencyRecords < ActiveRecord::Migration[5.2]"},
		"a later time":      {Migrate, fstest.MapFS{"migrations/29991231000000_first.up.sql": {}}, "migrations/29991231000001_create_idempotency_records.up.sql", "CREATE TABLE"},
		"Rails' later time": {Rails, fstest.MapFS{"db/migrate/29991231000000_first.rb": {}}, "db/migrate/29991231000001_create_idempotency_records.rb", "class CreateIdempotencyRecords"},
		"one of times":      {Migrate, fstest.MapFS{"migrations/20250101000000_first.up.sql": {}}, "migrations/20261130120000_create_idempotency_records.up.sql", "CREATE TABLE"},
	} {
		r := requestOf(c.framework, "postgres", job.SQS, job.Outside)
		r.Repository = c.repository
		files, err := Files(r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.path != "" && files[0].Path != c.path || !strings.Contains(files[0].Text, c.text) {
			t.Errorf("%s: %s\n%s", name, files[0].Path, files[0].Text)
		}
	}
}
