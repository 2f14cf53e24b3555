package change

import (
	"io/fs"
	"path"
	"time"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/job"
)

// Request is what the change is for.
type Request struct {
	Job     job.Job
	Table   string
	Dialect string // as in dialect.Names
	// Framework keeps the migrations.
	Framework Framework
	// App is the Django application that keeps the migration; empty: the only one.
	App string
	// Now is in the names of migrations that are ordered by time.
	Now time.Time
	// Repository is the application's, from the top of its git repository.
	Repository fs.FS
	// Commit is the last one, in which the job is as it was; empty: there is none.
	Commit string
	// Folder has the job file, as in services/billing; empty: the top.
	Folder string

	beside string // see besideOf
}

// File is one file to make, its path from the top of the repository.
type File struct {
	Path string
	Text string
	// What it is for, in half a sentence.
	What string
}

// CheckQueue refuses a job on a queue that the guard has no layer for.
func CheckQueue(j job.Job) error {
	if j.Queue != job.RQ {
		return nil
	}
	return problem("the guard's Python package has no RQ layer, so there is nothing to write for "+quoted(j.Type),
		"call the plain guard within the job: docs/python.md; the table is twiceproof schema's, and docs/files.md has the fields of a replay file")
}

// Files are those of the change, in the order in which they are read.
func Files(r Request) ([]File, error) {
	if err := CheckQueue(r.Job); err != nil {
		return nil, err
	}
	statements, err := dialect.Load(r.Dialect, r.Table)
	if err != nil {
		return nil, problem(err.Error(), "call the table of the job file idempotency_records, or another name that no database reserves")
	}
	if err := checkNames(r); err != nil {
		return nil, err
	}
	top := r.Repository
	if r.Repository, err = fs.Sub(top, path.Join(".", r.Folder)); err != nil {
		return nil, err
	}
	if r.beside, err = besideOf(r); err != nil {
		return nil, err
	}
	table, err := tableOf(r, statements.Schema)
	if err != nil {
		return nil, err
	}
	sketch, err := sketchOf(r)
	if err != nil {
		return nil, err
	}
	replay, err := replayFile(r)
	if err != nil {
		return nil, err
	}
	files := append(append(table, sketch, replay), backfills(r)...)
	for i := range files {
		files[i].Path = path.Join(r.Folder, files[i].Path)
	}
	return append(files, ci(top, r)), nil
}

// tableOf are the migration and its copy. A second job of the folder has the table of the first.
func tableOf(r Request, schema string) ([]File, error) {
	if r.beside != "" {
		return nil, nil
	}
	files, err := migrationOf(r, schema)
	return append(files, schemaCopy(schema, r.Dialect)), err
}

// schemaCopy is what the throw-away database of a replay is made from.
// A dump of the application's own tables may have it, too.
func schemaCopy(schema, dialect string) File {
	return File{Path: "twiceproof/schema." + dialect + ".sql", Text: whereMissing(schema), What: "the table for the replay's throw-away database, the same as the migration's"}
}
