//go:build linux

package replay

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/replay/process"
)

// filesOfWorker replays every_step with a worker that keeps its rows in SQLite.
func filesOfWorker(t *testing.T, mode, journal string, rung judge.Rung) (judge.Result, Outcome) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(folder+"/schema.sql", []byte("CREATE TABLE charges (id TEXT); CREATE TABLE done (id TEXT PRIMARY KEY);"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := chargeRequest(folder, fmt.Sprintf(`version: 1
job: charge.create
environment: {broker: AWS_ENDPOINT_URL_SQS, database: DATABASE_URL, outside: ""}
versions: {old: {run: "%s files '%s' %s"}}
message: {body: '{"order_id": "{{key}}"}'}
database: {kind: sqlite, schema: [schema.sql]}
effects: {count: "SELECT count(*) FROM charges WHERE id = $1", statement: INSERT INTO charges}
timeouts: {step: 5m, recovery: 5m}
`, self, mode, journal), judge.EveryStep)
	if err != nil {
		t.Fatal(err)
	}
	r.Rung, r.Job.Effect.Kind, r.Job.Stale = rung, job.OwnRow, job.Stale{}
	out, err := planAndRun(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return out.Results[0], out
}

func factsWith(r judge.Result, text string) (n int) {
	for _, f := range r.Facts {
		if strings.HasPrefix(f, "after write") && strings.Contains(f, text) {
			n++
		}
	}
	return n
}

// Two transactions that are to be one are caught in between, in both kinds of journal, and
// one transaction is not; nothing of it crosses a wire.
func TestFilesAreSteps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode, journal string
		rung          judge.Rung
		verdict, at   string
	}{
		{"together", "WAL", judge.Durable, judge.OK, "fsync wal"},
		{"together", "DELETE", judge.Step, judge.OK, "unlink journal"},
		{"apart", "WAL", judge.Durable, judge.Violation, "fsync wal"},
		{"apart", "DELETE", judge.Durable, judge.Violation, "unlink journal"},
	} {
		r, _ := filesOfWorker(t, c.mode, c.journal, c.rung)
		caught := strings.Contains(r.Why, "after write") && strings.Contains(r.Why, c.at)
		if r.Verdict.Verdict != c.verdict || factsWith(r, c.at) == 0 || caught != (c.verdict == judge.Violation) {
			t.Errorf("%s, %s, %s: %+v\n%s", c.mode, c.journal, c.rung, r.Verdict, strings.Join(r.Facts, "\n"))
		}
	}
}

// What is wrong in a redelivery alone is seen only by whoever kills there as well, in the middle
// of its writes.
func TestTheSecondKillIsAtAFile(t *testing.T) {
	t.Parallel()
	const mode = "apart when it comes again"
	for rung, verdict := range map[judge.Rung]string{judge.Step: judge.OK, judge.Pair: judge.Violation} {
		r, out := filesOfWorker(t, mode, "WAL", rung)
		if r.Verdict.Verdict != verdict || verdict == judge.Violation && !strings.Contains(r.Why, "then after write") {
			t.Errorf("%s: %+v\n%s", rung, r.Verdict, strings.Join(r.Facts, "\n"))
		}
		second := slices.ContainsFunc(out.Histories["old/"+judge.EveryStep], func(e judge.Event) bool {
			return e.Event == judge.EventFault && e.Fired && e.Detail == secondKill && strings.HasPrefix(e.Step, "database ")
		})
		if second != (rung == judge.Pair) {
			t.Errorf("%s: killed at a file a second time: %t", rung, second)
		}
	}
	if r, _ := filesOfWorker(t, "together", "WAL", judge.Pair); r.Verdict.Verdict != judge.OK {
		t.Errorf("%+v\n%s", r.Verdict, strings.Join(r.Facts, "\n"))
	}
}

// A write that was recorded and does not come again is no pass.
func TestAWriteThatDoesNotComeIsUnknown(t *testing.T) {
	t.Parallel()
	if r, _ := filesOfWorker(t, "now and then", "WAL", judge.Durable); r.Verdict.Verdict != judge.Unknown || !strings.Contains(r.Why, "was not reached") {
		t.Errorf("%+v\n%s", r.Verdict, strings.Join(r.Facts, "\n"))
	}
}

// What a worker writes beside its delivery is struck, too, when it has asked for more already.
func TestAWriteThatComesLaterIsReached(t *testing.T) {
	t.Parallel()
	if r, _ := filesOfWorker(t, "beside it, later", "WAL", judge.Durable); r.Verdict.Verdict != judge.OK || factsWith(r, "fsync wal #2") == 0 {
		t.Errorf("%+v\n%s", r.Verdict, strings.Join(r.Facts, "\n"))
	}
}

// Without strace the same worker is not caught, and the report says what was not seen.
func TestFilesWithoutStrace(t *testing.T) {
	path := t.TempDir()
	if err := os.Symlink("/bin/sh", path+"/sh"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", path)
	r, out := filesOfWorker(t, "apart", "WAL", judge.Durable)
	if r.Verdict.Verdict != judge.OK || factsWith(r, "wal") > 0 {
		t.Errorf("%+v\n%s", r.Verdict, strings.Join(r.Facts, "\n"))
	}
	if !slices.ContainsFunc(out.CannotSee, func(s string) bool { return strings.Contains(s, "apt-get install strace") }) {
		t.Errorf("cannot see: %q", out.CannotSee)
	}
}

// What strace may not do it says, and nothing is left of the attempt.
func TestStraceThatIsRefused(t *testing.T) {
	folder := t.TempDir()
	refused := "#!/bin/sh\necho 'strace: attach: ptrace(PTRACE_SEIZE, 1): Operation not permitted' >&2\nexit 1\n"
	if err := os.WriteFile(folder+"/strace", []byte(refused), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	why := whyNoStrace(t.Context())
	if !strings.Contains(why, "Operation not permitted") || !strings.Contains(why, "SYS_PTRACE") {
		t.Errorf("%q", why)
	}
}

// The worker is as it was when strace has gone: not stopped, not traced.
func TestDetached(t *testing.T) {
	t.Parallel()
	p, err := process.Start("exec sleep 1000", "", os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	s, err := attach(t.Context(), p, looked{calls: writing}, func(traceLine) {})
	if err != nil {
		t.Fatal(err)
	}
	if !isTraced(t, p) {
		t.Error("the check sees no strace while there is one")
	}
	s.end()
	if isTraced(t, p) || p.HasExited() {
		t.Error("strace is still there, or the worker is not")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := attach(ctx, p, looked{calls: writing}, func(traceLine) {}); err == nil {
		s.end() // it was quicker
	}
	if isTraced(t, p) || p.HasExited() {
		t.Error("an attempt that was broken off has left something")
	}
}

func isTraced(t *testing.T, p *process.Process) bool {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Pid))
	if err != nil {
		t.Fatal(err)
	}
	return !strings.Contains(string(status), "TracerPid:\t0\n")
}
