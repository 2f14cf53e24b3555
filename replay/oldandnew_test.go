package replay

import (
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/jobfile"
)

func TestBackfillFor(t *testing.T) {
	for _, c := range []struct {
		text, key string
		kind      jobfile.DatabaseKind
		want      string
	}{
		{"VALUES ('{{key}}')", "o'1", jobfile.Postgres, "VALUES ('o''1')"},
		{"VALUES ('{{key}}')", `o\1`, jobfile.MySQL, `VALUES ('o\\1')`},
		{"CASE WHEN '{{key}}' LIKE '{{ke_}}'", "1", jobfile.SQLite, "CASE WHEN '1' LIKE '{{ke_}}'"},
		{"SELECT id FROM charges", "1", jobfile.SQLite, "SELECT id FROM charges"},
		{"VALUES ('{{job_type}}', '{{key}}')", "1", jobfile.SQLite, "{{job_type}}"},
		{"VALUES ('{{ key }}')", "1", jobfile.SQLite, "{{ key }}"},
	} {
		got, err := backfillFor(c.text, c.key, c.kind)
		if err != nil {
			got = err.Error()
		}
		if refused := strings.HasPrefix(c.want, "{{"); refused != (err != nil) || !strings.Contains(got, c.want) || !refused && got != c.want {
			t.Errorf("%s: %s", c.text, got)
		}
	}
}
