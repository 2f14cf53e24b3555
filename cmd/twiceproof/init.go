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
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay"
)

const initSchema = "twiceproof.init/1"

type initFlags struct {
	folder     string
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
statement and a CI entry. What is for is told by the job file, twiceproof.yaml, in the
folder (default: this one); twiceproof fit writes one to start from.

What would be written is shown as a diff first. On a terminal it is asked whether to
write it; elsewhere nothing is written without --write. A file that is there is never
overwritten: then nothing is written at all.

The framework is guessed by what is in the folder: config/application.rb, manage.py,
alembic.ini, or migrations with .up.sql or +goose in them; plain SQL otherwise. The way
back of each migration leaves the table: the old code does not know it.

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
	flags.StringVar(&f.database, "database", "postgres", "the application's database: "+strings.Join(dialect.Names(), ", ")+" (MariaDB is mysql)")
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
	request, err := f.request()
	if err != nil {
		return err
	}
	files, err := change.Files(request)
	var problem *change.Problem
	if errors.As(err, &problem) {
		return &replay.Problem{What: problem.What, Hint: problem.Hint}
	}
	if err != nil {
		return err
	}
	if err := f.checkFree(files); err != nil {
		return err
	}
	r := initResult{Schema: initSchema, Framework: string(request.Framework), Files: []initFile{}}
	for _, file := range files {
		r.Files = append(r.Files, initFile{file.Path, file.What, file.Text})
	}
	if !f.json {
		if err := r.text(f.std.out); err != nil {
			return err
		}
	}
	if r.Written, err = f.agreed(ctx); err == nil && r.Written {
		err = f.writeAll(files)
	}
	if err != nil {
		return err
	}
	return f.tell(r)
}

func (f initFlags) request() (r change.Request, err error) {
	if err := checkFolder(f.folder); err != nil {
		return r, err
	}
	path := filepath.Join(f.folder, jobfile.DefaultName)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return r, &replay.Problem{What: "there is no job file " + path, Hint: "write one to start from: twiceproof fit --write " + path}
	}
	file, err := jobfile.Load(path)
	if err != nil {
		return r, err
	}
	r = change.Request{
		Table: file.Table, Dialect: f.database, Framework: change.Framework(f.migrations), App: f.app,
		Now: time.Now(), Repository: os.DirFS(f.folder),
	}
	if r.Job, err = file.Job(f.job); err != nil {
		return r, err
	}
	if _, err := loadSchema(f.database, file.Table); err != nil {
		return r, &replay.Problem{What: fmt.Sprintf("--database: there is none called %q", f.database), Hint: "write " + strings.Join(dialect.Names(), ", ") + "; MariaDB's is mysql"}
	}
	if f.migrations == "" {
		r.Framework = change.Guess(r.Repository)
	}
	if !slices.Contains(change.Frameworks(), r.Framework) {
		return r, &replay.Problem{What: fmt.Sprintf("--migrations: there is no framework %q", f.migrations), Hint: "write " + frameworkNames()}
	}
	return r, nil
}

// checkFree: all or nothing, so a file that is there stops everything before anything is
// written.
func (f initFlags) checkFree(files []change.File) error {
	for _, file := range files {
		path := filepath.Join(f.folder, filepath.FromSlash(file.Path))
		if _, err := os.Lstat(path); err == nil {
			return &replay.Problem{What: path + " is there already, and nothing was written", Hint: "move it away, or take over by hand what init would write: twiceproof init --json shows it in an empty folder with the job file"}
		}
	}
	return nil
}

// writeAll takes back what it has made when one cannot be written.
func (f initFlags) writeAll(files []change.File) (err error) {
	var made []string
	defer func() {
		if err != nil {
			for _, path := range slices.Backward(made) {
				_ = os.Remove(path) // a folder goes only when it is empty
			}
		}
	}()
	for _, file := range files {
		path := filepath.Join(f.folder, filepath.FromSlash(file.Path))
		folders, err := makeFolders(filepath.Dir(path))
		made = append(made, folders...)
		if err != nil {
			return &replay.Problem{What: "a folder cannot be made: " + err.Error(), Hint: "nothing was written; check the permissions of the repository"}
		}
		if err := writeNew(path, []byte(file.Text)); err != nil {
			return err
		}
		made = append(made, path)
	}
	return nil
}

// makeFolders gives those that were not there.
func makeFolders(folder string) (made []string, err error) {
	if _, err := os.Stat(folder); err == nil {
		return nil, nil
	}
	above, err := makeFolders(filepath.Dir(folder))
	if err != nil {
		return above, err
	}
	return append(above, folder), os.Mkdir(folder, 0o755)
}
