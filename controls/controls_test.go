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

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay"

	// Not used: a change in them must make the go command run these tests again.
	_ "github.com/twiceproof/twiceproof"
	_ "github.com/twiceproof/twiceproof/sqsconsumer"
)

// sample is what runs in every test: each kind once. The rest runs with
// TWICEPROOF_FULL=1.
var sample = []string{
	"look_up_ignored", "live_claim_acknowledged", "stale_claim_run_again", "held_not_acknowledged",
}

func TestControls(t *testing.T) {
	for _, c := range controls(t) {
		t.Run(c.name, func(t *testing.T) {
			if !full() && !slices.Contains(sample, c.name) {
				t.Skip("not in the sample; TWICEPROOF_FULL=1 runs it")
			}
			expect(t, c, run(t, c.setup, c.change))
			if c.waits != "" {
				t.Skip("waits: " + c.waits)
			}
		})
	}
}

// TestTwins: what a control shares with its twin passes every case.
func TestTwins(t *testing.T) {
	twins := map[setup]bool{{}: true, {policy: "hold"}: true}
	for _, c := range controls(t) {
		if full() || slices.Contains(sample, c.name) {
			c.patience = 0
			twins[c.setup] = true
		}
	}
	for twin := range twins {
		t.Run(twin.name(), func(t *testing.T) {
			expect(t, control{}, run(t, twin))
		})
	}
}

func controls(t *testing.T) []control {
	t.Helper()
	paths, err := filepath.Glob("*.txt")
	if err != nil || len(paths) < len(sample) {
		t.Fatalf("found %d controls: %v", len(paths), err)
	}
	all := make([]control, len(paths))
	for i, path := range paths {
		if all[i], err = readControl(path); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	return all
}

func full() bool { return os.Getenv("TWICEPROOF_FULL") != "" }

// expect holds the verdicts against the kinds that the control's cases are to find;
// every other case that applies is to be ok.
func expect(t *testing.T, c control, results []replay.Result) {
	t.Helper()
	for _, r := range results {
		seen := r.Verdict.Verdict
		if r.Kind != "" {
			seen = r.Kind
		}
		want := c.finds[r.Label()]
		if want == "" || c.may[r.Label()] && seen == replay.OK {
			want = replay.OK
		}
		if r.Case == replay.EveryStep && want == replay.OK && c.findsKills() {
			want = seen // it is killed there, too; which kind it finds first is its own
		}
		t.Logf("%-29s %-15s %d effects, %d of %d overlapped: %s", r.Label(), seen, r.Effects, r.Overlapped, r.Runs, r.Why)
		if seen != want && (seen != replay.NotApplicable || c.finds[r.Label()] != "") {
			t.Errorf("%s: %s, want %s: %s\n%s", r.Label(), seen, want, r.Why, strings.Join(r.Facts, "\n"))
		}
	}
	if want := len(replay.CasesOf(job.SQS)); len(results) != want {
		t.Errorf("%d cases were judged, want %d", len(results), want)
	}
}

// findsKills: every_step kills where these cases do, among others.
func (c control) findsKills() bool {
	for _, name := range []string{"killed_after_claim", "killed_after_effect", "killed_after_completion", "killed_after_completion/unheard"} {
		if c.finds[name] != "" {
			return true
		}
	}
	return false
}

func run(t *testing.T, s setup, more ...change) []replay.Result {
	t.Helper()
	r := request(t, s)
	if s.both.file != "" {
		more = append(more, s.both)
	}
	build(t, r.Spec, more)
	plan, err := replay.MakePlan(r)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	out, err := replay.Run(ctx, r, plan)
	if problem := (*replay.Problem)(nil); errors.As(err, &problem) {
		t.Fatalf("%v\n%s", err, problem.Output)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Results
}

// request is what the command makes of a replay file, for the version new alone.
func request(t *testing.T, s setup) replay.Request {
	t.Helper()
	folder := "../examples/sqs-charge"
	if s.worker != "" {
		folder = s.worker
	}
	spec, err := jobfile.LoadReplay(filepath.Join(folder, jobfile.DefaultReplayName))
	if err != nil {
		t.Fatal(err)
	}
	spec.Versions = slices.DeleteFunc(spec.Versions, func(v jobfile.CodeVersion) bool { return v.Name != "new" })
	if s.patience > 0 {
		spec.Timeouts.Recovery = s.patience
	}
	if s.database != "" {
		spec.Database = jobfile.Database{Kind: jobfile.DatabaseKind(s.database), Schema: []string{"schema." + s.database + ".sql"}}
	}
	text, err := os.ReadFile(spec.JobFilePath())
	if err != nil {
		t.Fatal(err)
	}
	r := replay.Request{Spec: spec, Environ: os.Environ(), Rerun: func(_, name string) string { return "go test ./controls -run '" + t.Name() + "'" }}
	r.JobFileText, r.Job, r.Table = readJob(t, spec, text, job.Policy(s.policy))
	r.PolicyText = jobfile.Explain(r.Job)
	return r
}

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

// build makes the build command use the changed files in the place of the real
// ones. A schema file that is changed is named in the place of the real one.
func build(t *testing.T, spec *jobfile.Replay, changes []change) {
	t.Helper()
	overlay := map[string]string{}
	for _, c := range changes {
		original, changed := c.apply(t)
		overlay[original] = changed
		for i, file := range spec.Database.Schema {
			if path, _ := filepath.Abs(spec.Resolve(file)); path == original {
				spec.Database.Schema[i] = changed
			}
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
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
