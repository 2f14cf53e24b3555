package dialect

import (
	"strings"
	"testing"
)

func TestLoadBatch(t *testing.T) {
	for _, table := range []string{"", "jobs", "app.jobs"} {
		testBatch(t, "postgres", table, "record.claim_token = excluded.claim_token")
		testBatch(t, "mysql", table, "record.claim_token = list.claim_token")
	}
	if b := LoadBatch("sqlite", ""); b != (Batch{}) {
		t.Error("SQLite has statements of its own")
	}
}

func testBatch(t *testing.T, dialect, table, shown string) {
	t.Helper()
	b := LoadBatch(dialect, table)
	for name, text := range map[string]string{"claim": b.Claim, "complete": b.Complete} {
		sql := comment.ReplaceAllString(text, "")
		if strings.Count(sql, ";") != 1 || strings.Count(strings.TrimSpace(sql), "\n") >= 30 || !clock.MatchString(sql) || foreign.MatchString(sql) {
			t.Errorf("%s %s: not one statement of at most 30 lines by the database's clock", dialect, name)
		}
		if table != "" && strings.Contains(text, Table) || !strings.Contains(text, tableIn(table)) {
			t.Errorf("%s %s for table %q names another one", dialect, name, table)
		}
	}
	if !strings.Contains(b.Complete, shown) {
		t.Errorf("%s: complete does not show the token", dialect)
	}
}
