package replay

import (
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire"
)

// ran is a recorded run: a * before a step says that it made something durable.
func ran(lines ...string) (steps []recordedStep) {
	for _, line := range lines {
		durable := line[0] == '*'
		if durable {
			line = line[1:]
		}
		peer, text := line[:3], line[4:]
		s := wire.Step{Peer: map[string]string{"out": judge.PeerOutside, "dat": judge.PeerDatabase, "que": "queue"}[peer], Text: text, Nth: 1}
		for _, before := range steps {
			if before.Peer == s.Peer && before.Text == s.Text {
				s.Nth++
			}
		}
		steps = append(steps, recordedStep{s, durable})
	}
	return steps
}

func names(all []place) (out []string) {
	for _, p := range all {
		out = append(out, p.name())
	}
	return out
}

func TestPlaces(t *testing.T) {
	ownRow := ran("que Deliver", "dat BEGIN", "dat INSERT INTO records", "dat INSERT INTO charges", "*dat COMMIT", "*que DeleteMessage")
	for _, c := range []struct {
		name  string
		rung  judge.Rung
		steps []recordedStep
		want  []string
	}{
		{"nothing recorded", judge.Durable, nil, nil},
		{"only reads", judge.Durable, ran("dat SELECT", "out GET /charges/?"), nil},
		{"outside", judge.Durable, ran("*dat INSERT", "dat SELECT", "*out POST /charges", "*dat UPDATE"), []string{"1-before", "1-after", "3-after", "4-after"}},
		{"own row: also with its transaction open", judge.Durable, ownRow, []string{"5-before", "5-after", "6-after"}},
		{"a second COMMIT", judge.Durable, ran("*dat COMMIT", "dat INSERT", "*dat COMMIT"), []string{"1-before", "1-after", "3-before", "3-after"}},
		{"every step", judge.Step, ran("dat SELECT", "*out POST /charges"), []string{"1-before", "1-after", "2-before", "2-after"}},
		{"the first of pairs", judge.Pair, ownRow, []string{"5-before", "5-after", "6-after"}},
	} {
		if got := names(places(c.rung, c.steps)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A file is not cut: the report says why.
func TestFilesAreNotCut(t *testing.T) {
	if l := (&lab{Request: Request{Rung: judge.Cut}}); !strings.Contains(l.filesText(), "no connection that could be cut") {
		t.Errorf("it is not told: %s", l.filesText())
	}
}

func TestMakesDurable(t *testing.T) {
	for _, c := range []struct {
		step   wire.Step
		status string
		want   bool
	}{
		{wire.Step{Peer: judge.PeerOutside, Text: "POST /charges"}, "201", true},
		{wire.Step{Peer: judge.PeerOutside, Text: "GET /charges/?"}, "200", false},
		{wire.Step{Protocol: "postgres", Peer: judge.PeerDatabase, Text: "INSERT INTO charges"}, "INSERT 0 1 I", true},
		{wire.Step{Protocol: "postgres", Peer: judge.PeerDatabase, Text: "INSERT INTO charges"}, "INSERT 0 1 T", false},
		{wire.Step{Protocol: "postgres", Peer: judge.PeerDatabase, Text: "COMMIT"}, "COMMIT I", true},
		{wire.Step{Protocol: "postgres", Peer: judge.PeerDatabase, Text: "COMMIT"}, "ROLLBACK I", false},
		{wire.Step{Protocol: "postgres", Peer: judge.PeerDatabase, Text: "SELECT ?"}, "SELECT 1 I", false},
		{wire.Step{Protocol: "mysql", Peer: judge.PeerDatabase, Text: "INSERT INTO charges"}, "INSERT 1 I", true},
		{wire.Step{Protocol: "mysql", Peer: judge.PeerDatabase, Text: "INSERT INTO charges"}, "INSERT 1 T", false},
		{wire.Step{Protocol: "mysql", Peer: judge.PeerDatabase, Text: "SET STATEMENT max_statement_time = ? FOR INSERT INTO charges"}, "INSERT 1 I", true},
		{wire.Step{Protocol: "mysql", Peer: judge.PeerDatabase, Text: "SET autocommit = ?"}, "SET I", false},
		{wire.Step{Protocol: "mysql", Peer: judge.PeerDatabase, Text: "BEGIN"}, "COMMIT T; BEGIN T", true},
		{wire.Step{Protocol: "mysql", Peer: judge.PeerDatabase, Text: "BEGIN"}, "BEGIN T", false},
		{wire.Step{Peer: "queue", Text: "DeleteMessage"}, "200", true},
		{wire.Step{Peer: "queue", Text: "GetQueueAttributes"}, "200", false},
		{wire.Step{Peer: "queue", Text: "ZADD schedule"}, "1", true},
		{wire.Step{Peer: "queue", Text: "MULTI; LLEN celery; LLEN other; EXEC"}, "2", false},
		{wire.Step{Peer: "queue", Text: "MULTI; ZREM unacked_index; HDEL unacked; EXEC"}, "1", true},
	} {
		if got := makesDurable(c.step, c.status); got != c.want {
			t.Errorf("%s %s: %t", c.step, c.status, got)
		}
	}
}

// What one of two runs has not is unstable; what an idle worker says is no step of the job,
// nor is a heartbeat, which tells of a job at work.
func TestCompare(t *testing.T) {
	idle := []wire.Step{{Peer: "queue", Text: "PING", Nth: 1}, {Peer: "queue", Text: "BRPOP queue:default", Nth: 1}}
	first := ran("que Deliver", "que PING", "que INCRBY stat:processed", "dat INSERT", "dat SELECT", "out POST /charges", "que BRPOP queue:default")
	second := ran("que Deliver", "que INCRBY stat:processed", "dat INSERT", "out POST /charges", "dat UPDATE", "que BRPOP queue:default")
	r := compare(idle, first, second)
	var got []string
	for _, s := range r.steps {
		got = append(got, s.Text)
	}
	if want := []string{"Deliver", "INSERT", "POST /charges"}; !slices.Equal(got, want) {
		t.Errorf("steps %v", got)
	}
	if want := []string{"database SELECT", "database UPDATE"}; !slices.Equal(r.unstable, want) {
		t.Errorf("unstable %v", r.unstable)
	}
	if want := []string{"queue PING"}; !slices.Equal(r.background, want) {
		t.Errorf("background %v", r.background)
	}
}

// A rung permits no more than its fault can bring about.
func TestRungEnds(t *testing.T) {
	j := job.Job{Type: "charge.create", Queue: job.SQS, Effect: job.Effect{Kind: job.Outside}, Lease: lease, Stale: job.Stale{Policy: job.Lookup}}
	twice := job.End{Effects: 2, State: job.EndCompleted}
	claimed := job.Moment{Claimed: true}
	for rung, late := range map[judge.Rung]bool{judge.Cut: false, judge.Pair: false, judge.Pause: true} {
		if got := slices.Contains(rungEnds(rung)(j, claimed), twice); got != late {
			t.Errorf("%s: two effects permitted: %t", rung, got)
		}
	}
	if slices.Contains(rungEnds(judge.Pause)(j, job.Moment{}), twice) {
		t.Error("a worker without a claim may not come late")
	}
	if rungEnds(judge.Durable) != nil || rungEnds(judge.Step) != nil {
		t.Error("a kill has the policy's own ends")
	}
}
