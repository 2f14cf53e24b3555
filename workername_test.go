package twiceproof

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// The worker's name is for people alone, so none may stop a claim.
func TestWorkerNameStopsNothing(t *testing.T) {
	names := map[string]string{
		"host-1/7": "host-1/7", "a\x00b\n": "a?b?", "a\xffb": "a?b", "J\u00fcrgen \U0001F600": "J?rgen ?", `it's "\`: `it's "\`,
		strings.Repeat("w", 300): strings.Repeat("w", 255), strings.Repeat("\u00fc", 300): strings.Repeat("?", 255),
	}
	onEach(t, func(t *testing.T, r *rig) { wantNamed(t, r, names) })
	for _, charset := range []string{"utf8", "latin1", "ascii"} {
		t.Run(charset, func(t *testing.T) {
			wantNamed(t, mysqlRig(t, func(c *mysql.Config) { c.Params["charset"] = charset }), names)
		})
	}
}

func wantNamed(t *testing.T, r *rig, names map[string]string) {
	t.Helper()
	for given, want := range names {
		g, err := New(r.db, r.d.dialect, holdJob(), Options{Table: r.table, Worker: given, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(g.awaitCount)
		r.exec("DELETE FROM " + r.table)
		res, err := g.Run(context.Background(), delivery("k"), r.till.charge)
		if err != nil || res.Outcome != Completed {
			t.Errorf("%.20q: %+v, %v", given, res, err)
			continue
		}
		if got := show(t, r, "SELECT claimed_by FROM "+r.table); got != want {
			t.Errorf("%.20q: %q, want %q", given, got, want)
		}
	}

	// The control: some of these names the database does refuse.
	refused, g := 0, r.guard(holdJob())
	for given := range names {
		g.records.worker = given
		r.exec("DELETE FROM " + r.table)
		if res, err := g.Run(context.Background(), delivery("k"), r.till.charge); err != nil && !res.Acknowledge() {
			refused++
		}
	}
	if refused == 0 && r.d.dialect != SQLite { // which takes them all
		t.Error("control: the database took every name")
	}
}
