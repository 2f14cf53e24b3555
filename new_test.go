package twiceproof

import (
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/job"
)

func TestNew(t *testing.T) {
	r := newRig(t, databaseOf(SQLite))
	bad := holdJob()
	bad.Lease = 0
	for name, c := range map[string]struct {
		j    job.Job
		d    Dialect
		o    Options
		want string
	}{
		"lookup without one": {lookupJob(), SQLite, Options{}, "policy lookup needs Options.LookUp"},
		"no lease":           {bad, SQLite, Options{}, "lease"},
		"dialect":            {holdJob(), "oracle", Options{}, `unknown dialect "oracle"`},
		"table":              {holdJob(), SQLite, Options{Table: "x; DROP TABLE y"}, "not a plain identifier"},
	} {
		if _, err := New(r.db, c.d, c.j, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if _, err := New(nil, SQLite, holdJob(), Options{}); err == nil {
		t.Error("no database: no error")
	}
	if g, err := New(r.db, SQLite, holdJob(), Options{}); err != nil || g.Job().Type != "charge_order" {
		t.Errorf("zero options: %v", err)
	}
}
