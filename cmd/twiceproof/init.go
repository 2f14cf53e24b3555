package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/twiceproof/twiceproof/change"
	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/jobfile"
)

const initSchema = "twiceproof.init/1"

type initFlags struct {
	folder     string
	top        string // of its git repository; the folder itself where it is in none
	job        string
	database   string
	migrations string
	app        string
	write      bool
	json       bool
	std        stdio
}

const initHelp = `Write the files of the change into the application's repository: the migration for its
own framework, the guarded job to take over into yours, the replay file, the backfill
statements and a CI entry. What is for is told by the job file, twiceproof.yaml, in the
folder (default: this one); twiceproof fit writes one to start from. FILL_IN stands where
only you know what to write: neither a replay nor a database takes it.

What would be written is shown as a diff first. On a terminal it is asked whether to
write it; elsewhere nothing is written without --write. A file that is there is never
overwritten: then nothing is written at all, unless it has the very text already.

A second job of the folder (--job) has names of its own beside the first: its replay file is
twiceproof.<job>.replay.yaml, its other files are in twiceproof/<job>. Its table is there.

Run it before the job is changed: the last commit is the old code that a replay runs.

The framework is guessed by what is in the folder: config/application.rb, manage.py,
alembic.ini, or migrations with .up.sql or +goose in them; plain SQL otherwise. The way
back of each migration leaves the table: the old code does not know it.

The database is the one that is named in config/database.yml, in Django's settings, in
alembic.ini or by the scheme of DATABASE_URL. Where they disagree, or none tells, name it
with --database.

In a subfolder of a git repository, GitHub's workflow is written at the repository's top,
the only place where GitHub looks; the paths that are shown are from there.

Exit status: 0 written, or shown; 2 usage or environment, such as a file that is there
already; 130 interrupted.`

func initCommand(std stdio) *cobra.Command {
	f := initFlags{std: std}
	cmd := &cobra.Command{
		Use:   "init [folder]",
		Short: "Write migration, job, replay file and CI entry",
		Long:  initHelp,
		Example: `  twiceproof init
  twiceproof init --database mysql --migrations alembic
  twiceproof init --write services/billing`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.folder = "."
			if len(args) == 1 {
				f.folder = args[0]
			}
			return f.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.job, "job", "", "the `job` of the job file (default: the only one)")
	flags.StringVar(&f.database, "database", "", "the application's `database`: "+strings.Join(dialect.Names(), ", ")+" (MariaDB is mysql; default: guessed)")
	flags.StringVar(&f.migrations, "migrations", "", "the `framework` of the migrations: "+frameworkNames()+" (default: guessed)")
	flags.StringVar(&f.app, "app", "", "the Django `application` that keeps the migration (default: the only one)")
	flags.BoolVar(&f.write, "write", false, "write the files without asking")
	flags.BoolVar(&f.json, "json", false, "print JSON (schema "+initSchema+")")
	return cmd
}

func frameworkNames() string {
	var names []string
	for _, f := range change.Frameworks() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

func (f initFlags) run(ctx context.Context) error {
	request, err := f.request(ctx)
	if err != nil {
		return err
	}
	files, err := change.Files(request)
	if err != nil {
		return err
	}
	missing, err := f.checkFree(files)
	if err != nil {
		return err
	}
	r := initResult{Schema: initSchema, Framework: string(request.Framework), Database: request.Dialect, Files: []initFile{}}
	for _, file := range missing {
		r.Files = append(r.Files, initFile{file.Path, file.What, file.Text})
	}
	if !f.json {
		if err := r.text(f.std.out); err != nil {
			return err
		}
	}
	if r.Written, err = f.agreed(ctx, len(missing) == 0); err == nil && r.Written {
		err = errors.Join(f.writeAll(missing), f.tidy(files))
	}
	if err != nil {
		return err
	}
	return f.tell(r)
}

func (f *initFlags) request(ctx context.Context) (r change.Request, err error) {
	if err := checkFolder(f.folder); err != nil {
		return r, err
	}
	path := filepath.Join(f.folder, jobfile.DefaultName)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return r, &hinted.Error{What: "there is no job file " + path, Hint: "write one to start from: twiceproof fit --write " + path}
	}
	file, err := jobfile.Load(path)
	if err != nil {
		return r, err
	}
	r = change.Request{Table: file.Table, Framework: change.Framework(f.migrations), App: f.app, Now: time.Now()}
	if f.top, r.Folder, err = topOf(f.folder); err != nil {
		return r, err
	}
	r.Repository, r.Commit = os.DirFS(f.top), commitOf(ctx, f.top)
	if r.Job, err = file.Job(f.job); err != nil {
		return r, severalJobs(err, file, f.job)
	}
	if err := change.CheckQueue(r.Job); err != nil { // before what else it needs is asked for
		return r, err
	}
	if r.Dialect, err = databaseOf(f.database, os.DirFS(f.folder), os.Getenv("DATABASE_URL")); err != nil {
		return r, err
	}
	if f.migrations == "" {
		r.Framework = change.Guess(os.DirFS(f.folder))
	}
	if !slices.Contains(change.Frameworks(), r.Framework) {
		return r, &hinted.Error{What: fmt.Sprintf("--migrations: there is no framework %q", f.migrations), Hint: "write " + frameworkNames()}
	}
	return r, nil
}
