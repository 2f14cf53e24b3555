package admin

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"
)

const (
	day = 24 * time.Hour
	cut = 30 * day
)

// mix is n records, of which some are old enough to be deleted: what of, by key.
func (r *rig) mix(n int) (due, evidence, kept map[string]bool) {
	r.t.Helper()
	due, evidence, kept = map[string]bool{}, map[string]bool{}, map[string]bool{}
	old := 40 * day
	late := values{"late_finish_at": r.ago(old)}
	kinds := []struct {
		of  map[string]bool
		row values
	}{
		{due, r.completed("acted", old)},
		{kept, values{"claimed_at": r.ago(old)}},
		{due, r.completed("found", old)},
		{kept, r.held("unknown_outcome", old)},
		{due, r.completed("backfilled", old)},
		{evidence, r.completed("assumed", old)},
		{due, r.completed("acted", old)},
		{evidence, r.completed("resolved", old)},
		{kept, r.completed("acted", cut-time.Hour)},
		{evidence, r.completed("acted", old)},
	}
	maps.Copy(kinds[9].row, late)
	var rows []values
	for i := range n {
		kind := kinds[i%len(kinds)]
		key := fmt.Sprintf("%06d", i)
		kind.of[key] = true
		rows = append(rows, r.claimed(key, kind.row))
	}
	r.insert(rows...)
	return due, evidence, kept
}

func union(all ...map[string]bool) map[string]bool {
	u := map[string]bool{}
	for _, m := range all {
		maps.Copy(u, m)
	}
	return u
}

func (r *rig) wantKeys(what string, want map[string]bool) {
	r.t.Helper()
	got := r.keys()
	if maps.Equal(got, want) {
		return
	}
	missing, extra := 0, 0
	for key := range want {
		if !got[key] {
			missing++
		}
	}
	for key := range got {
		if !want[key] {
			extra++
		}
	}
	r.t.Errorf("%s: %d records are missing, %d too many", what, missing, extra)
}

// prune is one run that must reach its end.
func (r *rig) prune(o PruneOptions) Pruned {
	r.t.Helper()
	o.OlderThan = cut
	all, err := r.Prune(context.Background(), o)
	if err != nil || len(all) > 1 {
		r.t.Fatalf("%+v, %v", all, err)
	}
	if len(all) == 0 {
		return Pruned{}
	}
	return all[0]
}

func TestPrune(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		const n = 20000
		due, evidence, kept := r.mix(n)
		all := union(due, evidence, kept)
		dry := r.prune(PruneOptions{})
		if dry != (Pruned{JobType: "charge", Deleted: int64(len(due)), Evidence: int64(len(evidence))}) {
			t.Errorf("dry: %+v", dry)
		}
		if dry := r.prune(PruneOptions{EvidenceToo: true}); dry != (Pruned{JobType: "charge", Deleted: int64(len(due) + len(evidence))}) {
			t.Errorf("dry with evidence: %+v", dry)
		}
		r.wantKeys("dry", all)
		var looked int64
		if done := r.prune(PruneOptions{Apply: true, Walk: Walk{Looked: func(n int64) { looked = n }}}); done != dry || looked != n {
			t.Errorf("applied: %+v, looked at %d", done, looked)
		}
		r.wantKeys("applied", union(evidence, kept))
		if again := r.prune(PruneOptions{Apply: true}); again != (Pruned{JobType: "charge", Evidence: int64(len(evidence))}) {
			t.Errorf("again: %+v", again)
		}
		r.prune(PruneOptions{Apply: true, EvidenceToo: true, Walk: Walk{JobType: "mail"}})
		r.wantKeys("another job", union(evidence, kept))
		r.prune(PruneOptions{Apply: true, EvidenceToo: true})
		r.wantKeys("evidence too", kept)
		if _, err := r.Prune(t.Context(), PruneOptions{Apply: true}); err == nil {
			t.Error("no age, and no error")
		}
	})
}

// The controls: a statement that lacks a condition deletes what it must not.
func TestPruneControls(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		right := r.sql
		for name, mutate := range map[string]func(string) string{
			"state":       func(s string) string { return strings.Replace(s, "state = 'completed'", "1 = 1", 1) },
			"completion":  func(s string) string { return strings.Replace(s, "NOT IN ('assumed', 'resolved')", "IS NOT NULL", 1) },
			"late finish": func(s string) string { return strings.Replace(s, "late_finish_at IS NULL", "1 = 1", 1) },
			"age": func(s string) string {
				lines := strings.Split(s, "\n")
				for i, line := range lines {
					if strings.Contains(line, "completed_at") {
						parameter := map[bool]string{true: "$4::bigint >= 0", false: "?4 >= 0"}[r.d.name == "postgres"]
						lines[i] = "  AND state = 'completed' AND " + parameter
					}
				}
				return strings.Join(lines, "\n")
			},
		} {
			r.exec("DELETE FROM idempotency_records")
			due, evidence, kept := r.mix(100)
			r.sql.Prune = mutate(right.Prune)
			if r.sql.Prune == right.Prune {
				t.Fatalf("%s: nothing was changed in the statement", name)
			}
			if name == "state" { // a claim has no time of completion, so that must go, too
				r.sql.Prune = strings.ReplaceAll(r.sql.Prune, "completed_at", "first_claimed_at")
				r.exec("UPDATE idempotency_records SET first_claimed_at = " + r.ago(40*day))
			}
			r.prune(PruneOptions{Apply: true})
			if left := r.keys(); maps.Equal(left, union(evidence, kept)) || len(left) == len(due)+len(evidence)+len(kept) {
				t.Errorf("without the %s nothing more was deleted", name)
			}
			r.sql = right
			r.exec("DELETE FROM idempotency_records")
			_, evidence, kept = r.mix(100)
			r.prune(PruneOptions{Apply: true})
			r.wantKeys("with the "+name, union(evidence, kept))
		}
	})
}

// To the millisecond, by the database's clock within the statement: with a clock that
// stands still, a record completed just after the cut stays.
func TestPruneBoundary(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		clock := map[string][2]string{
			"postgres": {"statement_timestamp()", "timestamptz '2031-02-03 04:05:06+00'"}, "mysql": {"UTC_TIMESTAMP(6)", "TIMESTAMP('2031-02-03 04:05:06')"},
			"sqlite": {"CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER)", "1927857906000"},
		}[r.d.name]
		for _, text := range []*string{&r.sql.Prune, &r.sql.Prunable} {
			*text = strings.ReplaceAll(*text, clock[0], clock[1])
		}
		at := func(d time.Duration) values {
			return values{"state": "'completed'", "completion": "'acted'", "completed_at": strings.ReplaceAll(r.ago(d), clock[0], clock[1])}
		}
		r.insert(r.claimed("just younger", at(cut-time.Millisecond)), r.claimed("just old enough", at(cut)), r.claimed("older", at(cut+time.Millisecond)))
		if done := r.prune(PruneOptions{Apply: true}); done.Deleted != 2 {
			t.Errorf("%+v", done)
		}
		r.wantKeys("boundary", map[string]bool{"just younger": true})
	})
}

// Stopped in the middle, it tells exactly what it has deleted.
func TestPruneStopped(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		due, evidence, kept := r.mix(5000)
		ctx, cancel := context.WithCancel(t.Context())
		all, err := r.Prune(ctx, PruneOptions{OlderThan: cut, Apply: true, Walk: Walk{Looked: func(n int64) {
			if n == 2000 {
				cancel()
			}
		}}})
		left := len(r.keys())
		if err == nil || len(all) != 1 || all[0].Deleted != 800 || left != len(due)+len(evidence)+len(kept)-800 {
			t.Errorf("%+v, %v, %d are left", all, err, left)
		}
	})
}

// A record that changes after its page was read is judged again by the statement.
func TestPruneJudgesAgain(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		due, evidence, kept := r.mix(100)
		p := pruning{Records: r.Records, PruneOptions: PruneOptions{OlderThan: cut, Apply: true}}
		page, err := p.page(t.Context(), "charge", "")
		if err != nil || page.due != int64(len(due)) {
			t.Fatalf("%+v, %v", page, err)
		}
		r.exec("UPDATE idempotency_records SET late_finish_at = " + r.ago(0) + " WHERE operation_key = '000000'")
		r.exec("UPDATE idempotency_records SET completed_at = " + r.ago(time.Minute) + " WHERE operation_key = '000002'")
		var of Pruned
		of.JobType = "charge"
		if err := p.take(t.Context(), &of, page); err != nil || of.Deleted != int64(len(due)-2) {
			t.Errorf("%+v, %v", of, err)
		}
		r.wantKeys("judged again", union(evidence, kept, map[string]bool{"000000": true, "000002": true}))
	})
}
