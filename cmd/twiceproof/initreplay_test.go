package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/internal/testdb"
)

// A project as it was, in git. The guarded code takes its place after init.
var projects = map[string]struct {
	before, guard, fill, only string
	wants                     []string
}{
	"sqs": {
		before: `mkdir -p cmd/worker && cp -R "$EXAMPLE"/payments "$EXAMPLE"/twiceproof.yaml . && cp "$EXAMPLE"/old/main.go cmd/worker
			sed 's,^module .*,module shop,' "$CLONE/go.mod" >go.mod && cp "$CLONE/go.sum" .
			go mod edit -require github.com/twiceproof/twiceproof@v0.0.0 -replace "github.com/twiceproof/twiceproof=$CLONE"
			sed -i 's,github.com/twiceproof/twiceproof/examples/sqs-charge/,shop/,' cmd/worker/*.go`,
		guard: `cp "$EXAMPLE"/new/*.go cmd/worker && sed -i 's,github.com/twiceproof/twiceproof/examples/sqs-charge/,shop/,' cmd/worker/*.go`,
		fill:  `s/"amount_cents":"FILL_IN","currency":"FILL_IN"/"amount_cents":1250,"currency":"EUR"/`,
		only:  "--only old/sequential --only new/sequential --only new/old_and_new --only new/no_redelivery",
		wants: []string{"old/sequential: duplicate  4 effects", "new: 3 of 3 cases ok"},
	},
	"celery": {
		before: `cp "$EXAMPLE"/payments.py "$EXAMPLE"/database.py "$EXAMPLE"/old/tasks.py "$EXAMPLE"/twiceproof.yaml .`,
		guard:  `cp "$EXAMPLE"/new/tasks.py .`,
		fill:   `s/"amount_cents":"FILL_IN","currency":"FILL_IN"/"amount_cents":1250,"currency":"EUR"/`,
		only:   "--only new/sequential --only new/old_and_new",
		wants:  []string{"new: 2 of 2 cases ok"},
	},
	"sidekiq": {
		before: `mkdir app && cp "$EXAMPLE"/payments.rb "$EXAMPLE"/database.rb "$EXAMPLE"/twiceproof.yaml . && cp "$EXAMPLE"/old/charge_job.rb app`,
		guard:  `cp "$EXAMPLE"/new/charge_job.rb app`,
		fill:   `s/-r FILL_IN/-r .\/app\/charge_job.rb/; s/"FILL_IN","FILL_IN"/1250,"EUR"/`,
		only:   "--only new/sequential --only new/old_and_new",
		wants:  []string{"new: 2 of 2 cases ok"},
	},
}

// filled is what the remarks of each replay file ask for.
const filled = `s/outside: FILL_IN/outside: PAYMENTS_URL/; s/act: FILL_IN/act: POST \/charges/; s/operation: FILL_IN/operation: body.order_id/
	s/reference: FILL_IN/reference: body.reference/; s/look_up: FILL_IN/look_up: GET \/charges\/{reference}/; /^enqueue:/d`

// From a project to a replay: whoever fills in what the remarks of init's replay file ask for
// has one that the replay takes, and whose old code comes out of git.
func TestInitToReplay(t *testing.T) {
	for queue, p := range projects {
		t.Run(queue, func(t *testing.T) {
			t.Parallel()
			if queue == "celery" {
				testdb.Needs(t, python(), "make bin/python")
			}
			shop := newShop(t, queue)
			database := map[string]string{"sqs": "sqlite"}[queue]
			if database == "" {
				database = "postgres"
			}
			shop.run(p.before + "\ngit init -q && git add . && git commit -qm old && twiceproof init --write --database " + database + "\n" + p.guard)
			if said, err := shop.try("twiceproof replay --plan"); err == nil || strings.Count(said, "is not filled in") != strings.Count(shop.run("grep -v '^ *#' twiceproof.replay.yaml | grep FILL_IN"), "\n") {
				t.Errorf("what is not filled in was taken, or not all of it told: %v\n%s", err, said)
			}
			shop.run("sed -i -e '" + strings.ReplaceAll(p.fill+"; "+filled, "\n", "' -e '") + "' twiceproof.replay.yaml && ! grep -n '^[^#]*FILL_IN' twiceproof.replay.yaml")
			if said := shop.run("twiceproof replay --plan"); !strings.Contains(said, `"old_and_new"`) {
				t.Errorf("the plan:\n%s", said)
			}
			if queue != "sqs" && os.Getenv("TWICEPROOF_FULL") == "" {
				return
			}
			said := shop.run("twiceproof replay " + p.only)
			for _, want := range p.wants {
				if !strings.Contains(said, want) {
					t.Errorf("the replay does not say %q:\n%s", want, said)
				}
			}
		})
	}
}

// shop is a project's folder.
type shop struct {
	t      *testing.T
	folder string
	env    []string
}

func newShop(t *testing.T, queue string) shop {
	t.Helper()
	clone, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "CLONE="+clone, "EXAMPLE="+filepath.Join(clone, "examples", queue+"-charge"), "DATABASE_URL=",
		"PYTHONPATH="+filepath.Join(clone, "python", "src"), "RUBYLIB="+filepath.Join(clone, "ruby", "lib"), "PATH="+filepath.Dir(python())+":"+os.Getenv("PATH"),
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	return shop{t, t.TempDir(), env}
}

func (s shop) try(script string) (string, error) {
	cmd := exec.CommandContext(s.t.Context(), "bash", "-euc", script)
	cmd.Dir, cmd.Env = s.folder, s.env
	text, err := cmd.CombinedOutput()
	return string(text), err
}

func (s shop) run(script string) string {
	s.t.Helper()
	text, err := s.try(script)
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", script, err, text)
	}
	return text
}
