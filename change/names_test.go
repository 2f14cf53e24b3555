package change

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/goccy/go-yaml"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/internal/testdb"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

var oddNames = []string{
	"", " ", "'", `"`, `a"b'c`, "a\nb", "a\r\nb", `\`, `a\`, `\U0001F600`, "#{exit}", "#$0", "#@a", "été", "Été", "日本", "\U0001F600", "\U000e0001", "\u2028", "\u0085", "\ufeff", "\x7f", "\x00", "\xff",
	"end", "class", "None", "lambda", "BEGIN", "END", "__FILE__", "Foo", "Foo::Bar", "::Foo", "Foo::", "foo::Bar", "Foo::BEGIN", "Foo Bar", "foo", "Foo-Bar", "Foo\n", "billing.charge", "billing.class", "billing.1st", "send-mail",
	"..", "../x", "/etc/passwd", "a/../b", "1abc", "-x", "--job", "$HOME", "${{a}}", "`id`", "$(id)", "%s %q", "{{key}}", "{{.}}", "a: b", "- a", "? x", "a #b", "yes", "null", "~", "1", "1e3", "0x1f", ".inf", "!a", "&a", "*a", "|", ">", "@a", "''", `""`, "]", "}", "select", "--", "/*", ";", "a;b",
	strings.Repeat("a", 64), strings.Repeat("A", 5000), strings.Repeat("'", 64),
}

// moreNames are made of what is odd in one of the languages, the same ones each time.
func moreNames() (names []string) {
	pieces := []string{"a", "B", "1", "_", "'", `"`, `\`, "\n", "\t", " ", "#", "{", "}", "$", "`", ":", ".", "/", "-", "é", "日", "\U0001F600", "\u200b", "\u2029", "%", ";", "*", "]", "&", "!", "END", "class"}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // nothing is kept secret by it
	for range 50 {
		name := ""
		for range 1 + random.IntN(6) {
			name += pieces[random.IntN(len(pieces))]
		}
		names = append(names, name)
	}
	return names
}

// Whatever somebody calls a job, its message, a field, a folder or an application: it is
// refused with a hint, or each file is one in its own language.
func TestOddNames(t *testing.T) {
	top := t.TempDir()
	made := 0
	for i, name := range append(append([]string(nil), oddNames...), moreNames()...) {
		for place, r := range requestsOf(name) {
			files, err := Files(r)
			var problem *hinted.Error
			if errors.As(err, &problem) && problem.Hint != "" {
				continue
			}
			if err != nil {
				t.Fatalf("%s is %q: no hint with %v", place, name, err)
			}
			made++
			keep(t, filepath.Join(top, strconv.Itoa(i)+place), files, r)
		}
	}
	if made < 250 {
		t.Fatalf("only %d of the names were taken", made)
	}
	parsed(t, top, "*/twiceproof/*.rb", "ruby", "-W0", "-e", "ARGV.each { |f| RubyVM::InstructionSequence.compile_file(f) }")
	parsed(t, top, "*/twiceproof/*.py", "python3", "-c", "import ast, sys\nfor f in sys.argv[1:]: ast.parse(open(f).read(), f)")
	parsed(t, top, "*/*/migrations/*.py", "python3", "-c", "import ast, sys\nfor f in sys.argv[1:]: ast.parse(open(f).read(), f)")
}

// requestsOf a name are those in which it stands at one place.
func requestsOf(name string) map[string]Request {
	all := map[string]Request{}
	for _, q := range []job.Queue{job.SQS, job.Sidekiq, job.Celery} {
		r := requestOf(SQL, "postgres", q, job.Outside)
		r.Job.Type = name
		all["type"+string(q)] = r
		r = requestOf(SQL, "postgres", q, job.Outside)
		r.Job.Message = name
		all["message"+string(q)] = r
	}
	r := requestOf(SQL, "mysql", job.SQS, job.Outside)
	if path, err := job.ParsePath(`body["` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"]`); err == nil {
		r.Job.Operation.Fingerprint = append(r.Job.Operation.Fingerprint, path)
		all["field"] = r
	}
	if path, err := job.ParsePath(`attributes["` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"]`); err == nil {
		r.Job.Operation.Key = []job.Path{path}
		all["attribute"] = r
	}
	if fs.ValidPath(name) && name != "." && len(name) < 200 {
		r := requestOf(SQL, "postgres", job.Celery, job.Outside)
		r.Folder, r.Commit, r.Repository = name, "9e5b4f4a1c2d", fstest.MapFS{name + "/README.md": {}}
		all["folder"] = r
		r = requestOf(Django, "postgres", job.Celery, job.Outside)
		r.Repository = fstest.MapFS{name + "/migrations/__init__.py": {}, name + "/migrations/0001_initial.py": {}}
		all["application"] = r
	}
	for place, r := range all {
		if r.Job.Validate() != nil { // the job file refuses it
			delete(all, place)
		}
	}
	return all
}

// keep writes the files whose language has a parser of its own, and reads the others here.
func keep(t *testing.T, folder string, files []File, r Request) {
	t.Helper()
	for _, f := range files {
		switch path := strings.TrimPrefix(f.Path, r.Folder+"/"); {
		case path == "twiceproof.replay.yaml":
			spec, err := jobfile.ParseReplay(path, []byte(filledIn.Replace(f.Text)))
			if err == nil {
				_, err = spec.JobOf(&jobfile.File{Jobs: []job.Job{r.Job}})
			}
			if err != nil || spec.Job != r.Job.Type {
				t.Errorf("%+v\nthe replay file: %v\n%s", r.Job, err, f.Text)
			}
		case strings.HasSuffix(path, ".yml"):
			var any map[string]any
			if err := yaml.Unmarshal([]byte(f.Text), &any); err != nil {
				t.Errorf("%v\n%s", err, f.Text)
			}
		case strings.HasSuffix(path, ".rb"), strings.HasSuffix(path, ".py"):
			place := filepath.Join(folder, "twiceproof", filepath.Base(path))
			if strings.Contains(path, "migrations/") {
				place = filepath.Join(folder, "app", "migrations", "new.py")
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(place), 0o755), os.WriteFile(place, []byte(f.Text), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func parsed(t *testing.T, top, pattern string, command ...string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(top, pattern))
	if err != nil || len(names) < 20 {
		t.Fatalf("only %d files as %s; %v", len(names), pattern, err)
	}
	testdb.Needs(t, command[0], "make workers")
	if output, err := exec.CommandContext(t.Context(), command[0], append(command[1:], names...)...).CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", pattern, err, output)
	}
	if err := os.WriteFile(names[0], []byte("class \"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := exec.CommandContext(t.Context(), command[0], append(command[1:], names...)...).Run(); err == nil {
		t.Errorf("%s: a file that is none was not found", pattern)
	}
}
