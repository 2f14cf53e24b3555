package dialect

import (
	"strings"
	"testing"
)

func TestLoadBatch(t *testing.T) {
	for _, table := range []string{"", "jobs", "app.jobs"} {
		b := LoadBatch("postgres", table)
		for name, text := range map[string]string{"claim": b.Claim, "complete": b.Complete} {
			sql := comment.ReplaceAllString(text, "")
			if strings.Count(sql, ";") != 1 || strings.Count(strings.TrimSpace(sql), "\n") >= 30 || !clock.MatchString(sql) || foreign.MatchString(sql) {
				t.Errorf("%s: not one statement of at most 30 lines by the database's clock", name)
			}
			if table != "" && strings.Contains(text, Table) || !strings.Contains(text, tableIn(table)) {
				t.Errorf("%s for table %q names another one", name, table)
			}
		}
		if where := b.Complete[strings.LastIndex(b.Complete, "WHERE"):]; !strings.Contains(where, "record.claim_token = excluded.claim_token") {
			t.Error("complete does not show the token")
		}
	}
	if b := LoadBatch("sqlite", ""); b != (Batch{}) {
		t.Error("SQLite has statements of its own")
	}
}
