package change

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/twiceproof/twiceproof/job"
)

// A second job's files have names of their own, in each language, kind and place; the controls are the
// first job, and a folder without a replay file.
func TestSecondJob(t *testing.T) {
	for _, folder := range []string{"", "services/billing"} {
		for _, gitlab := range []bool{true, false} {
			for _, q := range []job.Queue{job.SQS, job.Sidekiq, job.Celery} {
				at := strings.TrimPrefix(folder+"/", "/")
				repository := fstest.MapFS{at + "migrations/1_first.up.sql": {}}
				if gitlab {
					repository[".gitlab-ci.yml"] = &fstest.MapFile{}
				}
				r := requestOf(Migrate, "postgres", q, job.Outside)
				r.Repository, r.Folder = repository, folder
				first := pathsOf(t, r)
				repository[at+replayName] = &fstest.MapFile{Data: []byte("job: charge.create # the first\n")}
				if again := pathsOf(t, r); !slices.Equal(again, first) {
					t.Errorf("the first job: %q, want %q", again, first)
				}
				r.Job.Type = "refund.create"
				second := pathsOf(t, r)
				if len(second) != len(first)-3 || slices.ContainsFunc(second, func(name string) bool {
					return slices.Contains(first, name) || !strings.Contains(name, "refund.create")
				}) {
					t.Errorf("%q and then %q", first, second)
				}
			}
		}
	}
}

func pathsOf(t *testing.T, r Request) (paths []string) {
	t.Helper()
	files, err := Files(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		paths = append(paths, f.Path)
		if strings.HasSuffix(f.Path, ".replay.yaml") && (!strings.Contains(f.Text, "\njob: "+r.Job.Type+"\n") || !slices.ContainsFunc(files, func(other File) bool {
			return strings.Contains(f.Text, "\nbackfill: "+strings.TrimPrefix(strings.TrimPrefix(other.Path, r.Folder), "/")+"\n")
		})) {
			t.Errorf("%s is of another job, or has no backfill that is there:\n%s", f.Path, f.Text)
		}
	}
	return paths
}
