package change_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/change"
	"github.com/twiceproof/twiceproof/dialect"
)

// Each output is run by its own framework on each database: up, writes, the way back, the
// revert of the commit, and the change once more.
func TestFrameworks(t *testing.T) {
	for _, f := range change.Frameworks() {
		for _, d := range dialect.Names() {
			t.Run(string(f)+"/"+d, func(t *testing.T) {
				t.Parallel()
				p := newProject(t, f, d)
				p.run(p.up)
				before := p.recorded()
				p.initialise()
				p.run(p.up)
				after := p.recorded()
				p.wantSound()
				p.wantOutcome("new", false, "acted")
				p.wantOutcome("new", true, "acted")
				p.backfilled()

				p.wayBack(before)
				p.turnBack()
				p.run(p.up)
				p.db.exec("INSERT INTO charges (order_id) VALUES ('by the old code')")
				p.wantKept()

				p.turnBack()
				p.run(p.up)
				if got := p.recorded(); !slices.Equal(got, after) || p.applied != "" && slices.Equal(after, before) {
					t.Errorf("recorded first %q, then %q, once more %q", before, after, got)
				}
				p.wantKept()
				p.withoutWayBack()
				p.wantFound()
			})
		}
	}
}

// wayBack leaves the table; plain SQL has none.
func (p *project) wayBack(before []string) {
	p.t.Helper()
	if p.down != "" {
		p.run(p.down)
	}
	if got := p.recorded(); p.down != "" && !slices.Equal(got, before) {
		p.t.Errorf("after the way back %q are recorded, want %q", got, before)
	}
	p.wantKept()
}

// withoutWayBack: when the commit is reverted alone, some frameworks refuse to go on.
func (p *project) withoutWayBack() {
	p.t.Helper()
	p.turnBack()
	output, err := p.try(p.up)
	if refused := err != nil; refused != p.needsWayBack {
		p.t.Errorf("without its way back: %v\n%s", err, output)
	}
	p.wantKept()
}

// backfilled: the new code skips what the backfill names, as one operation or as many from
// a table, and no other.
func (p *project) backfilled() {
	p.t.Helper()
	text := p.run("cat twiceproof/backfill.sql")
	p.db.exec("INSERT INTO charges (order_id) VALUES ('one'), ('a/b%c'), ('it''s')")
	p.db.exec(strings.NewReplacer("{{job_type}}", "charge.create", "{{key}}", "one").Replace(text))
	p.wantOutcome("one", true, "backfilled")
	p.wantOutcome("forgotten", false, "acted")
	p.db.exec("INSERT INTO charges (order_id) VALUES ('" + strings.Repeat("%", 90) + "')") // 270 bytes as a key
	if _, err := p.db.ExecContext(p.t.Context(), ofMany(p.t, text)); err == nil {
		p.t.Error("what cannot be marked was left out silently")
	}
	p.db.exec("DELETE FROM charges WHERE length(order_id) = 90")
	p.db.exec(ofMany(p.t, text))
	for _, order := range []string{"one", "a/b%c", "it's"} {
		p.wantOutcome(order, true, "backfilled")
	}
	p.wantOutcome("forgotten", true, "acted")
}

var (
	selection = regexp.MustCompile(`(?m)^--   (SELECT .*)\n--   FROM orders (WHERE) charged$`)
	oneValue  = regexp.MustCompile(`(?m)^VALUES .*$`)
)

// ofMany is the statement for many operations, as its remark says.
func ofMany(t *testing.T, text string) string {
	t.Helper()
	m := selection.FindStringSubmatch(text)
	if m == nil || !oneValue.MatchString(text) {
		t.Fatalf("no selection in\n%s", text)
	}
	return oneValue.ReplaceAllLiteralString(text, m[1]+" FROM charges "+m[2]+" order_id IS NOT NULL")
}

// wantKept: the table is sound, and remembers.
func (p *project) wantKept() {
	p.t.Helper()
	p.wantSound()
	p.wantOutcome("new", true, "acted")
	p.wantOutcome("one", true, "backfilled")
}

func (p *project) wantSound() {
	p.t.Helper()
	if got := p.db.findings(); len(got) > 0 {
		p.t.Errorf("doctor: %q", got)
	}
}

// wantFound is the control.
func (p *project) wantFound() {
	p.t.Helper()
	p.db.dropKey()
	if got := p.db.findings(); !slices.Contains(got, "key.missing") {
		p.t.Errorf("without its key: %q", got)
	}
}

func (p *project) wantOutcome(order string, repeat bool, completion string) {
	p.t.Helper()
	got, acted := p.deliver(order)
	if got.Outcome != twiceproof.Completed || got.Repeat != repeat || got.Completion != completion || acted == repeat {
		p.t.Errorf("order %s: %+v, acted %t; want repeat %t, %s", order, got, acted, repeat, completion)
	}
}
