package change

import (
	"go/format"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/goccy/go-yaml"

	"github.com/twiceproof/twiceproof/job"
)

func TestCIEntryInASubfolder(t *testing.T) {
	const folder = `services/the "new" billing`
	files := fstest.MapFS{folder + "/migrations/1_first.up.sql": {}, ".gitlab-ci.yml": {}, "migrations/9_another.up.sql": {}}
	for _, gitlab := range []bool{true, false} {
		if !gitlab {
			delete(files, ".gitlab-ci.yml")
		}
		r := requestOf(Migrate, "postgres", job.SQS, job.Outside)
		r.Repository, r.Folder = files, folder
		all, err := Files(r)
		if err != nil {
			t.Fatal(err)
		}
		entry := all[len(all)-1]
		for _, f := range all {
			if outside := !strings.HasPrefix(f.Path, folder+"/"); outside != (!gitlab && f == entry) {
				t.Errorf("%s stands in the wrong place", f.Path)
			}
		}
		if want := folder + "/migrations/2_create_idempotency_records.up.sql"; all[0].Path != want {
			t.Errorf("%s, want %s", all[0].Path, want)
		}
		if got := foldersOf(t, entry.Text, gitlab); !slices.Equal(got, []string{folder, folder + "/evidence"}) {
			t.Errorf("it works in %q:\n%s", got, entry.Text)
		}
	}
}

// foldersOf an entry: that in which it runs, and the evidence's.
func foldersOf(t *testing.T, text string, gitlab bool) []string {
	t.Helper()
	if gitlab {
		var entry map[string]struct {
			Variables map[string]string
			Script    []string
			Artifacts struct{ Paths []string }
		}
		parse(t, text, &entry)
		for _, e := range entry {
			if !slices.Contains(e.Script, `cd -- "$FOLDER"`) {
				t.Errorf("the script stays at the top: %q", e.Script)
			}
			return append([]string{e.Variables["FOLDER"]}, e.Artifacts.Paths...)
		}
	}
	w := parseWorkflow(t, text)
	steps := w.Jobs["replay"].Steps
	return []string{w.Defaults.Run.Folder, steps[len(steps)-1].With["path"]}
}

type workflow struct {
	Name     string
	On       []string
	Defaults struct {
		Run struct {
			Folder string `yaml:"working-directory"`
		}
	}
	Jobs map[string]struct {
		RunsOn string `yaml:"runs-on"`
		Steps  []struct {
			Uses, Run string
			With      map[string]string
		}
	}
}

func parseWorkflow(t *testing.T, text string) (w workflow) {
	t.Helper()
	parse(t, text, &w)
	return w
}

func parse(t *testing.T, text string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

// At the top nothing names a folder.
func TestCIEntryAtTheTop(t *testing.T) {
	r := requestOf(SQL, "postgres", job.SQS, job.Outside)
	r.Repository = fstest.MapFS{"go.mod": {}}
	w := parseWorkflow(t, ci(r.Repository, r).Text)
	j := w.Jobs["replay"]
	if w.Name != "twiceproof" || len(w.On) != 1 || j.RunsOn == "" || len(j.Steps) != 6 || w.Defaults.Run.Folder != "" || j.Steps[5].With["path"] != "evidence" {
		t.Errorf("%+v", w)
	}
	var gitlab map[string]struct{ Script []string }
	parse(t, ci(fstest.MapFS{".gitlab-ci.yml": {}}, r).Text, &gitlab)
	if script := gitlab["replay"].Script; len(script) != 3 {
		t.Errorf("%q", script)
	}
}

// The Go job is parsed, and formatted as gofmt does.
func TestGoJobIsGo(t *testing.T) {
	for _, kind := range []job.EffectKind{job.Outside, job.OwnRow} {
		for _, dialect := range []string{"postgres", "mysql", "sqlite"} {
			text := sketchTextOf(t, requestOf(SQL, dialect, job.SQS, kind))
			formatted, err := format.Source([]byte(text))
			if err != nil || string(formatted) != text {
				t.Errorf("%v; gofmt would make of it\n%s", err, formatted)
			}
		}
	}
}
