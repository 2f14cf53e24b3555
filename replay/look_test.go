package replay

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay/records"
)

// A query that counts the rows of other operations is no count of one operation's.
func TestACountOfOtherOperationsIsRefused(t *testing.T) {
	db, err := records.Open("sqlite", filepath.Join(t.TempDir(), "a.db"), "idempotency_records")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Apply(t.Context(), "CREATE TABLE charges (order_id text); INSERT INTO charges VALUES ('replay-1')"); err != nil {
		t.Fatal(err)
	}
	for query, refused := range map[string]bool{
		"SELECT count(*) FROM charges WHERE order_id = $1": false,
		"SELECT count(*) FROM charges WHERE $1 = $1":       true,
		"SELECT count(*) FROM charges":                     true,
		"DELETE FROM charges RETURNING 1":                  true,
	} {
		spec := &jobfile.Replay{Message: jobfile.Message{Body: `{"id": "{{key}}"}`}, Effects: jobfile.Effects{Count: query}}
		w := &world{db: db, lab: &lab{Request: Request{Spec: spec, Job: job.Job{Effect: job.Effect{Kind: job.OwnRow}}}}}
		n, err := w.effects(t.Context(), operation{value: "replay-1"})
		var p *hinted.Error
		if errors.As(err, &p) != refused || !refused && n != 1 || refused && !strings.Contains(p.Hint, "effects.count") && !strings.Contains(p.Hint, "count(*)") {
			t.Errorf("%s: %d, %v", query, n, err)
		}
	}
}
