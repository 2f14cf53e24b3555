package change_test

import (
	"slices"
	"strconv"
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
	one, all := p.run("cat twiceproof/backfill.replay.sql"), p.run("cat twiceproof/backfill.sql")
	p.wantRefused("a key that nobody has put in", one)
	p.db.exec(strings.ReplaceAll(one, "{{key}}", "one"))
	p.wantOutcome("one", true, "backfilled")
	p.wantOutcome("forgotten", false, "acted")

	p.db.exec("INSERT INTO charges (order_id) VALUES ('one'), ('a/b%c'), ('it''s')")
	p.refusedUnfilled(all)
	p.db.exec("INSERT INTO charges (order_id) VALUES ('" + strings.Repeat("%", 90) + "')") // 270 bytes as a key
	p.wantRefused("a key that is too long", fillIn(all, 3))
	p.db.exec("DELETE FROM charges WHERE length(order_id) = 90")
	p.db.exec(fillIn(all, 3), fillIn(all, 3))
	for _, order := range []string{"one", "a/b%c", "it's"} {
		p.wantOutcome(order, true, "backfilled")
	}
	p.wantOutcome("forgotten", true, "acted")
}

// fillIn writes what the remarks ask for in the first places, and leaves the others.
func fillIn(text string, places int) string {
	remarks, statement, _ := strings.Cut(text, "INSERT INTO")
	for _, own := range []string{"order_id", "charges", "order_id IS NOT NULL"}[:places] {
		statement = strings.Replace(statement, "FILL_IN", own, 1)
	}
	return remarks + "INSERT INTO" + statement
}

// refusedUnfilled: as long as one place is left, by the client that people use, and nothing
// is written.
func (p *project) refusedUnfilled(text string) {
	p.t.Helper()
	if strings.Count(fillIn(text, 0), "FILL_IN") != 4 || strings.Contains(fillIn(text, 3), "(FILL_IN") { // one is in the remarks
		p.t.Fatalf("other places than were thought in\n%s", text)
	}
	for places := range 3 {
		p.wantRefused(strconv.Itoa(places)+" of 3 places filled in", fillIn(text, places))
	}
	if output, err := p.try(p.db.fill(clients[p.db.dialect]) + " <twiceproof/backfill.sql"); err == nil {
		p.t.Errorf("the client took the backfill as it was written: %s", output)
	}
}

// wantRefused: the statement is an error, and writes nothing.
func (p *project) wantRefused(what, statement string) {
	p.t.Helper()
	const query = "SELECT job_type FROM idempotency_records"
	before := p.db.texts(query)
	if _, err := p.db.ExecContext(p.t.Context(), statement); err == nil {
		p.t.Errorf("%s was taken:\n%s", what, statement)
	}
	if after := p.db.texts(query); !slices.Equal(after, before) {
		p.t.Errorf("%s was written: %q after %q", what, after, before)
	}
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
