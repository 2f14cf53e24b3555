package controls_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay"
	"github.com/twiceproof/twiceproof/replay/judge"

	// Not used: a change in them must make the go command run these tests again.
	_ "github.com/twiceproof/twiceproof"
	_ "github.com/twiceproof/twiceproof/sqsconsumer"
)

// trial is one replay of a worker.
type trial struct {
	setup
	only  string // one case, as --only names it; empty: all
	times int    // that it is put through; 0 is once
}

// limit is for a replay that hangs.
const limit = 30 * time.Minute

func run(t *testing.T, tr trial, more ...change) []judge.Result {
	t.Helper()
	r := request(t, tr, more)
	plan, err := replay.MakePlan(r)
	if err != nil {
		t.Fatal(err)
	}
	r.Progress = func(p replay.Progress) {
		if r := p.Result; r != nil {
			t.Logf("%-29s %-15s %d effects, %d of %d overlapped: %s", r.Label(), seen(*r), r.Effects, r.Overlapped, r.Runs, r.Why)
		}
	}
	plan.Cases = slices.Repeat(plan.Cases, max(tr.times, 1))
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	out, err := replay.Run(ctx, r, plan)
	if problem := (*hinted.Error)(nil); errors.As(err, &problem) {
		t.Fatalf("%v\n%s", err, problem.Output)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Results) != len(plan.Cases) {
		t.Errorf("%d cases were judged, want %d", len(out.Results), len(plan.Cases))
	}
	return out.Results
}

// request is what the command makes of a replay file, for the version new alone.
func request(t *testing.T, tr trial, changes []change) replay.Request {
	t.Helper()
	if tr.both.file != "" {
		changes = append(changes, tr.both)
	}
	spec := load(t, tr.setup, changes)
	spec.Timeouts.Ready = limit // a machine that is slow is no worker that does not come
	if tr.patience > 0 {
		spec.Timeouts.Recovery = tr.patience
	}
	text, err := os.ReadFile(spec.JobFilePath())
	if err != nil {
		t.Fatal(err)
	}
	r := replay.Request{Spec: spec, Rung: tr.rung, Environ: append(os.Environ(), "PYTHON="+python(t))}
	r.Rerun = func(_, name string) string { return "go test ./controls -run '" + t.Name() + "'" }
	if tr.only != "" {
		r.Only = []string{tr.only}
	}
	r.JobFileText, r.Job, r.Table = readJob(t, spec, text, job.Policy(tr.policy))
	r.PolicyText = jobfile.Explain(r.Job)
	return r
}

// load reads the replay file of a worker that has the changes: of one that is built by
// the go command with the files overlaid, of another one in a copy of the tree.
func load(t *testing.T, s setup, changes []change) *jobfile.Replay {
	t.Helper()
	spec := s.replayFile(t, "..")
	if isBuilt(spec) {
		overlay(t, spec, changes)
		return spec
	}
	skipWithoutPrograms(t, spec)
	original, err := filepath.Abs(spec.Resolve("."))
	if err != nil {
		t.Fatal(err)
	}
	spec = s.replayFile(t, copied(t, changes))
	if v := &spec.Versions[0]; v.Build != "" { // what it builds is Go, which has no change
		v.Build = "cd '" + original + "' && " + v.Build
	}
	return spec
}

// replayFile reads the setup's replay file in a tree.
func (s setup) replayFile(t *testing.T, root string) *jobfile.Replay {
	t.Helper()
	spec, err := jobfile.LoadReplay(filepath.Join(root, s.folder(), jobfile.DefaultReplayName))
	if err != nil {
		t.Fatal(err)
	}
	spec.Versions = slices.DeleteFunc(spec.Versions, func(v jobfile.CodeVersion) bool { return v.Name != "new" })
	if s.database != "" {
		spec.Database = jobfile.Database{Kind: jobfile.DatabaseKind(s.database), Schema: []string{"schema." + s.database + ".sql"}}
	}
	return spec
}

// isBuilt: what is run was built, and not its source.
func isBuilt(spec *jobfile.Replay) bool { return strings.HasPrefix(spec.Versions[0].Run, "{out}/") }

func readJob(t *testing.T, spec *jobfile.Replay, text []byte, policy job.Policy) ([]byte, job.Job, string) {
	t.Helper()
	file, err := jobfile.Parse(spec.JobFilePath(), text)
	if err != nil {
		t.Fatal(err)
	}
	j, err := spec.JobOf(file)
	if err != nil {
		t.Fatal(err)
	}
	if policy == "" || policy == j.Stale.Policy {
		return text, j, file.Table
	}
	if text, err = jobfile.WithPolicy(text, j, policy); err != nil {
		t.Fatal(err)
	}
	return readJob(t, spec, text, policy)
}

// overlay makes the build command use the changed files in the place of the real
// ones. A schema file that is changed is named in the place of the real one.
func overlay(t *testing.T, spec *jobfile.Replay, changes []change) {
	t.Helper()
	replaced := map[string]string{}
	for _, c := range changes {
		original, err := filepath.Abs(filepath.Join("..", c.file))
		if err != nil {
			t.Fatal(err)
		}
		changed := filepath.Join(t.TempDir(), filepath.Base(c.file))
		c.write(t, changed)
		replaced[original] = changed
		for i, file := range spec.Database.Schema {
			if path, _ := filepath.Abs(spec.Resolve(file)); path == original {
				spec.Database.Schema[i] = changed
			}
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	v := &spec.Versions[0]
	command := strings.Replace(v.Build, "go build ", "go build -overlay '"+path+"' ", 1)
	if command == v.Build {
		t.Fatalf("the build command %q is not go build", v.Build)
	}
	v.Build = command
}
