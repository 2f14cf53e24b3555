package change_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/twiceproof/twiceproof/change"
	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/job"
)

// A job of any name is backfilled under that very name, on each database.
func TestOddJobNamesInTheDatabase(t *testing.T) {
	names := []string{
		"'", "''", `\`, `a\`, `\'`, `it's`, `"`, "`", "a\nb", "--", "/* a", "*/", ";", "%s", "%", "_", "$1", "?", ":a", "été", "日本", "\U0001F600",
		"a'); DROP TABLE idempotency_records; --", strings.Repeat("'", 64), strings.Repeat(`\`, 64),
	}
	slices.Sort(names)
	for _, d := range dialect.Names() {
		t.Run(d, func(t *testing.T) {
			t.Parallel()
			db := newDatabase(t, d)
			for i, name := range names {
				files := filesOf(t, d, name)
				if i == 0 {
					db.exec(files["twiceproof/schema."+d+".sql"])
				}
				db.exec(strings.ReplaceAll(files["twiceproof/backfill.replay.sql"], "{{key}}", "one"))
			}
			got := db.texts("SELECT job_type FROM idempotency_records")
			slices.Sort(got)
			if !slices.Equal(got, names) {
				t.Errorf("the database has %q, want %q", got, names)
			}
		})
	}
}

func filesOf(t *testing.T, d, name string) map[string]string {
	t.Helper()
	j := job.Job{Type: name, Queue: job.SQS, Operation: job.Operation{Key: []job.Path{job.MustParsePath("body.id")}}, Effect: job.Effect{Kind: job.Outside}}
	r := change.Request{Job: j, Table: dialect.Table, Dialect: d, Framework: change.SQL, Now: time.Now(), Repository: fstest.MapFS{}}
	files, err := change.Files(r)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, f := range files {
		texts[f.Path] = f.Text
	}
	r.Table = "order"
	if problem := (*hinted.Error)(nil); !errors.As(second(change.Files(r)), &problem) {
		t.Error("a table called order was taken")
	}
	return texts
}

func second(_ []change.File, err error) error { return err }
