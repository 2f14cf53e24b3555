package change

import (
	"fmt"
	"io/fs"
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
	// Repository is the application's.
	Repository fs.FS
}

// File is one file to make, its path from the repository's folder.
type File struct {
	Path string
	Text string
	// What it is for, in half a sentence.
	What string
}

// Files are those of the change, in the order in which they are read.
func Files(r Request) ([]File, error) {
	statements, err := dialect.Load(r.Dialect, r.Table)
	if err != nil {
		return nil, err
	}
	migration, err := migrationOf(r, statements.Schema)
	if err != nil {
		return nil, err
	}
	files := append([]File(nil), migration...)
	files = append(files, schemaCopy(statements.Schema, r.Dialect), sketchOf(r), replayFile(r), backfill(r))
	return append(files, ci(r.Repository)), nil
}

// schemaCopy is what the throw-away database of a replay is made from.
func schemaCopy(schema, dialect string) File {
	return File{Path: "twiceproof/schema." + dialect + ".sql", Text: schema, What: "the table for the replay's throw-away database, the same as the migration's"}
}

func backfill(r Request) File {
	token, now := "gen_random_uuid()", "now()"
	insert, conflict := "INSERT INTO", "ON CONFLICT (job_type, operation_key) DO NOTHING"
	switch r.Dialect {
	case "mysql":
		token, now = "REPLACE(UUID(), '-', '')", "UTC_TIMESTAMP(6)"
		insert, conflict = "INSERT IGNORE INTO", ""
	case "sqlite":
		token, now = "lower(hex(randomblob(16)))", "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
	}
	text := fmt.Sprintf(`-- Marks one operation that the old code has done already as done, before the new code
-- starts: else its next delivery is taken for a new operation. Fill it from your own list of
-- what is done; the replay puts its own operation in the place of the two names in braces.
%s %s
  (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at, completed_at, completion)
VALUES ('{{job_type}}', '{{key}}', 'completed', %s, %s, 0, %s, %s, 'backfilled')
%s`, insert, r.Table, token, now, now, now, conflict)
	return File{Path: "twiceproof/backfill.sql", Text: trimmed(text) + ";\n", What: "marks what the old code has done already"}
}
