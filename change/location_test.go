package change

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/job"
)

func alembicOf(text string) fstest.MapFS {
	return fstest.MapFS{"alembic.ini": {Data: []byte(text)}, "db/env.py": {}, "db/versions/a.py": {Data: []byte("revision = 'a'\n")}}
}

// unreadable has a folder where a revision's file should be.
func unreadable() fstest.MapFS {
	all := alembicOf("script_location = db\n")
	all["db/versions/b.py/more"] = &fstest.MapFile{}
	return all
}

func djangoOf(settings string) fstest.MapFS {
	return fstest.MapFS{"manage.py": {}, "shop/settings.py": {Data: []byte(settings)}, "billing/migrations/__init__.py": {}, "billing/migrations/0001_initial.py": {}}
}

// Migrations that a setting puts elsewhere are not looked for here, where there would be none.
func TestMigrationsElsewhere(t *testing.T) {
	for name, c := range map[string]struct {
		framework  Framework
		repository fs.FS
		what, hint string
	}{
		"beside the folder":      {Alembic, alembicOf("script_location = ../db\n"), `outside of this one: "../db"`, "alembic revision"},
		"beside it, from here":   {Alembic, alembicOf("script_location = %(here)s/../db\n"), `outside of this one: "../db"`, "alembic revision"},
		"out of it and in again": {Alembic, alembicOf("script_location = db/../../db\n"), "outside of this one", "alembic revision"},
		"from the root":          {Alembic, alembicOf("script_location = /srv/db\n"), "outside of this one", "alembic revision"},
		"in a home":              {Alembic, alembicOf("script_location: ~/db\n"), "not there", "correct the setting"},
		"put together":           {Alembic, alembicOf("script_location = %(where)s/db\n"), "does not read", "alembic revision"},
		"named twice":            {Alembic, alembicOf("[one]\nscript_location = db\n[two]\nscript_location = other\n"), "does not read", "alembic revision"},
		"in folders below":       {Alembic, alembicOf("script_location = db\nrecursive_version_locations = true\n"), "does not read", "alembic revision"},
		"not there":              {Alembic, alembicOf("script_location = dbb\n"), `not there: "dbb"`, "correct the setting"},
		"no value":               {Alembic, alembicOf("script_location =\n"), "names no script_location", "name one"},
		"no value, and another":  {Alembic, alembicOf("script_location =\nprepend_sys_path = db\n"), "names no script_location", "name one"},
		"Django's module":        {Django, djangoOf("MIGRATION_MODULES = {\n    'billing': 'elsewhere.billing',\n}\n"), "MIGRATION_MODULES in shop/settings.py puts the migrations of billing elsewhere", "makemigrations --empty billing"},
		"a computed module":      {Django, djangoOf("MIGRATION_MODULES = modules()\n"), "or may do so", "makemigrations --empty"},
		"a revision unread":      {Alembic, unreadable(), "cannot all be read", "make them readable"},
		"a file for a folder":    {SQL, fstest.MapFS{"migrations": {}}, "cannot all be read", "make them readable"},
		"Rails' folder":          {Rails, fstest.MapFS{"db/migrate": {}}, "cannot all be read", "make them readable"},
		"goose's folder":         {Goose, fstest.MapFS{".env": {Data: []byte("GOOSE_MIGRATION_DIR=../migrations\n")}}, "GOOSE_MIGRATION_DIR of .env is a folder outside", "goose create"},
		"Rails' path":            {Rails, fstest.MapFS{"config/application.rb": {Data: []byte("    config.paths[\"db/migrate\"] = \"../db\"\n")}}, "a path of its own", "rails generate migration"},
	} {
		r := requestOf(c.framework, "postgres", job.SQS, job.Outside)
		r.Repository = c.repository
		_, err := Files(r)
		var problem *hinted.Error
		if !errors.As(err, &problem) || !strings.Contains(problem.What, c.what) || !strings.Contains(problem.Hint, c.hint) {
			t.Errorf("%s: %+v", name, err)
		}
	}
}

// The same settings where they lead to a folder within.
func TestMigrationsWithin(t *testing.T) {
	labelled := djangoOf("# MIGRATION_MODULES = {'billing': 'x'}\nMIGRATION_MODULES = {'sites': 'billing.sites'}\n")
	labelled["billing/apps.py"] = &fstest.MapFile{Data: []byte("class Billing(AppConfig):\n    name = 'billing'\n    label = 'invoices'\n")}
	labelled["billing/migrations/0002_more.py"] = &fstest.MapFile{Data: []byte("dependencies = [('invoices', '0001_initial')]")}
	for name, c := range map[string]struct {
		framework  Framework
		repository fs.FS
		path, text string
	}{
		"Alembic's, on Windows":   {Alembic, alembicOf("[alembic]\r\nscript_location = .\\db\r\n"), "db/versions/", `down_revision = "a"`},
		"Alembic's, from here":    {Alembic, alembicOf("script_location = %(here)s/./db\n"), "db/versions/", `down_revision = "a"`},
		"an application's label":  {Django, labelled, "billing/migrations/0003_idempotency_records.py", `("invoices", "0002_more")`},
		"goose's own":             {Goose, fstest.MapFS{".env": {Data: []byte("export GOOSE_MIGRATION_DIR=\"./schema\" # ours\n")}, "schema/7_one.sql": {}, "migrations/1_one.sql": {}}, "schema/8_create_idempotency_records.sql", "+goose Up"},
		"golang-migrate's":        {Migrate, fstest.MapFS{".env": {Data: []byte("GOOSE_MIGRATION_DIR=../migrations\n")}}, "migrations/20261130120000_create_idempotency_records.up.sql", "CREATE TABLE"},
		"init's own, once more":   {Migrate, fstest.MapFS{"migrations/1_one.up.sql": {}, "migrations/2_create_idempotency_records.down.sql": {}}, "migrations/2_create_idempotency_records.up.sql", "CREATE TABLE"},
		"Rails' own, once more":   {Rails, fstest.MapFS{"db/migrate/20200101000000_create_idempotency_records.rb": {}}, "db/migrate/20200101000000_create_idempotency_records.rb", "class"},
		"Django's own, once more": {Django, fstest.MapFS{"a/migrations/__init__.py": {}, "a/migrations/0001_idempotency_records.py": {}}, "a/migrations/0001_idempotency_records.py", "dependencies = []"},
	} {
		r := requestOf(c.framework, "postgres", job.SQS, job.Outside)
		r.Repository = c.repository
		files, err := Files(r)
		if err != nil || !strings.HasPrefix(files[0].Path, c.path) || !strings.Contains(files[0].Text, c.text) {
			t.Errorf("%s: %v %v", name, err, files)
		}
	}
}

// What a task or a class is called is in the job file, or said to be missing there.
func TestMessageNames(t *testing.T) {
	for _, c := range []struct {
		queue         job.Queue
		message, what string
	}{
		{job.Sidekiq, "", `does not say which message carries "charge.create"`}, {job.Celery, "", "does not say"},
		{job.Sidekiq, "chargeJob", `no name of a Ruby class: "chargeJob"`}, {job.Sidekiq, "A; exit", "no name of a Ruby class"}, {job.Sidekiq, strings.Repeat("a", 5000), `aaa"…`},
		{job.Sidekiq, "Billing::ChargeJob", ""}, {job.Celery, "any name does", ""}, {job.SQS, "", ""},
	} {
		r := requestOf(SQL, "postgres", c.queue, job.Outside)
		r.Job.Message = c.message
		if _, err := Files(r); c.what == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), c.what) {
			t.Errorf("%s %q: %v", c.queue, c.message, err)
		}
	}
}
