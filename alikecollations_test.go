package twiceproof

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// merged counts the alike keys that a text column of that type takes for another one.
func (r *rig) merged(column string) (n int) {
	r.t.Helper()
	table := fmt.Sprintf("as_text_%d", tables.Add(1))
	r.exec("CREATE TABLE " + table + " (k " + column + " PRIMARY KEY)")
	for _, keys := range alike {
		for _, key := range keys {
			if _, err := r.plain.ExecContext(context.Background(), "INSERT INTO "+table+" VALUES ("+r.placeholder()+")", key); err != nil {
				n++
			}
		}
	}
	return n
}

// PostgreSQL: in a database whose own collation compares loosely, the table's columns
// still compare by bytes. The control: a column of that collation takes some for one.
func TestAlikeKeysInALooseDatabase(t *testing.T) {
	made := newRig(t, databaseOf(Postgres))
	name := fmt.Sprintf("loose_%d", tables.Add(1))
	made.exec("CREATE DATABASE " + name + " LOCALE_PROVIDER icu ICU_LOCALE 'und-u-ks-level1-ka-shifted' TEMPLATE template0")
	t.Cleanup(func() { made.exec("DROP DATABASE " + name + " WITH (FORCE)") })
	dsn, err := url.Parse(made.dsn)
	if err != nil {
		t.Fatal(err)
	}
	dsn.Path = "/" + name
	r := newRigAt(t, made.d, dsn.String(), "records")
	r.wantEachKeyOnce(name)

	r.exec("CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1-ka-shifted', deterministic = false)")
	if n := r.merged("text COLLATE loose"); n < 10 {
		t.Errorf("control: only %d keys were taken for another", n)
	}
	if n := r.merged(`text COLLATE "C"`); n != 0 {
		t.Errorf("control: %d keys were taken for another by bytes", n)
	}
}

// SQLite: the columns say BINARY themselves. The control: NOCASE takes some for one, and
// RTRIM others.
func TestAlikeKeysInSQLiteControl(t *testing.T) {
	r := newRig(t, databaseOf(SQLite))
	for column, least := range map[string]int{"TEXT COLLATE NOCASE": 4, "TEXT COLLATE RTRIM": 2} {
		if n := r.merged(column); n < least {
			t.Errorf("%s: only %d keys were taken for another", column, n)
		}
	}
	if n := r.merged("TEXT"); n != 0 {
		t.Errorf("%d keys were taken for another by bytes", n)
	}
}

// MySQL: somebody's tool converts every table to the collation of the house. Bytes have
// none, so nothing changes, for the keys that were there as for new ones.
func TestAlikeKeysAfterAConversion(t *testing.T) {
	r := newRig(t, databaseOf(MySQL))
	g := r.guard(holdJob())
	for _, key := range []string{"aB", "Straße"} {
		r.run(g, key)
	}
	for _, to := range []string{"utf8mb4 COLLATE utf8mb4_general_ci", "utf8mb4 COLLATE utf8mb4_unicode_520_ci", "latin1"} {
		r.exec("ALTER TABLE " + r.table + " CONVERT TO CHARACTER SET " + to)
		fresh := r.guard(holdJob())
		for _, key := range []string{"aB", "Straße"} {
			if res := r.run(fresh, key); !res.Repeat {
				t.Errorf("%s, %q: %+v", to, key, res)
			}
		}
		for _, other := range []string{"Ab", "strasse"} {
			if res := r.run(fresh, other+" "+to); res.Repeat {
				t.Errorf("%s, %q: %+v", to, other, res)
			}
		}
	}
	r.exec("DELETE FROM " + r.table)
	clear(r.till.charges)
	r.wantEachKeyOnce("converted")
	if n := r.merged("VARCHAR(255) COLLATE utf8mb4_general_ci"); n < 5 {
		t.Errorf("control: only %d keys were taken for another", n)
	}
	var kinds []string
	for _, column := range []string{"job_type", "operation_key"} {
		kinds = append(kinds, show(t, r, "SELECT data_type FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = '"+r.table+"' AND column_name = '"+column+"'"))
	}
	if strings.Join(kinds, " ") != "varbinary varbinary" {
		t.Errorf("the columns are %q", kinds)
	}
}
