package twiceproof

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// alike are sets of keys that some collation or normalisation takes for one.
var alike = map[string][]string{
	"case":          {"Order", "order", "ORDER", "ordEr"},
	"accent":        {"resume", "résumé", "rèsume", "resumè"},
	"trailing":      {"k", "k ", "k  ", "k\t", "k\u00a0", "k\n", "k\u200b"},
	"leading":       {"l", " l", "\tl"},
	"sharp s":       {"straße", "strasse", "STRASSE", "straẞe"},
	"dotless i":     {"i", "ı", "I", "İ"},
	"full width":    {"A1", "Ａ１", "ａ１"},
	"NFC and NFD":   {"caf\u00e9", "cafe\u0301"},
	"emoji":         {"\U0001F600", "\U0001F601", "\U0001F600\ufe0f", "?", "??", "????"},
	"ligature":      {"file", "ﬁle"},
	"digits":        {"1", "01", "1.0", "１", "①"},
	"quote":         {"it's", "it''s", `it\'s`, `it"s`, "it’s"},
	"long, at last": {strings.Repeat("x", 254) + "a", strings.Repeat("x", 254) + "b", strings.Repeat("x", 254)},
}

func (r *rig) wantEachKeyOnce(where string) {
	r.t.Helper()
	g, own, n := r.guard(holdJob()), r.guard(ownRowJob()), 0
	for name, keys := range alike {
		for _, key := range keys {
			n++
			res, err := g.Run(context.Background(), delivery(key), r.till.charge)
			if err != nil || res.Repeat || res.Outcome != Completed {
				r.t.Errorf("%s, %s, %q: %+v, %v", where, name, key, res, err)
				continue
			}
			if again := r.run(g, key); !again.Repeat || again.Key != key {
				r.t.Errorf("%s, %s, %q: %+v", where, name, key, again)
			}
		}
	}
	if r.rows() != n || r.till.total() != n {
		r.t.Errorf("%s: %d records and %d effects for %d keys", where, r.rows(), r.till.total(), n)
	}
	r.exec("DELETE FROM " + r.table)
	rows := 0
	for name, keys := range alike {
		for _, key := range keys {
			res, err := own.RunTx(context.Background(), delivery(key), r.book)
			if rows++; err != nil || res.Repeat || res.Outcome != Completed {
				r.t.Errorf("%s, own row, %s, %q: %+v, %v", where, name, key, res, err)
			}
		}
	}
	if r.rows() != rows {
		r.t.Errorf("%s: %d records for %d own rows", where, r.rows(), rows)
	}
}

// However alike, keys are operations of their own, on each database.
func TestAlikeKeys(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) { r.wantEachKeyOnce(r.d.name) })
}

// And in MySQL whatever the database's collation, the connection's, and however the
// parameters travel. The last is the control: a text column takes some for one.
func TestAlikeKeysInEveryCollation(t *testing.T) {
	for i, in := range []string{"utf8mb4_general_ci", "utf8mb4_unicode_ci", "latin1_swedish_ci", "utf8mb3_general_ci"} {
		charset, _, _ := strings.Cut(in, "_")
		for _, interpolated := range []bool{true, false} {
			t.Run(fmt.Sprint(in, " interpolated ", interpolated), func(t *testing.T) {
				made := newRig(t, databaseOf(MySQL))
				name := fmt.Sprintf("collated_%d_%v", i, interpolated)
				made.exec("CREATE DATABASE " + name + " CHARACTER SET " + charset + " COLLATE " + in)
				t.Cleanup(func() { made.exec("DROP DATABASE " + name) })
				dsn := mysqlChanged(t, made.dsn, func(c *mysql.Config) { c.DBName, c.InterpolateParams = name, interpolated })
				r := newRigOn(t, &rig{d: made.d, dsn: dsn, table: "records"})
				r.exec(statements(MySQL, "records").Schema)
				r.exec("CREATE TABLE records_bookings (k BLOB NOT NULL)")
				r.wantEachKeyOnce(in)

				r.exec("CREATE TABLE as_text (k VARCHAR(255) PRIMARY KEY)")
				merged := 0
				for _, keys := range alike {
					for _, key := range keys {
						if _, err := r.plain.ExecContext(context.Background(), "INSERT INTO as_text VALUES (?)", key); err != nil {
							merged++
						}
					}
				}
				if merged < 5 {
					t.Errorf("control: only %d keys were taken for another or refused", merged)
				}
			})
		}
	}
}

// A server that is not strict cuts what is too long; the table refuses it then.
func TestOverlongKeyIsNotCut(t *testing.T) {
	r := mysqlRig(t, func(c *mysql.Config) { c.Params["sql_mode"] = "''" })
	g := r.guard(holdJob())
	c, err := g.prepare(delivery("k"))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{256, 257, 300, 70000} {
		c.key = strings.Repeat("x", n)
		if _, _, err := g.records.claim(context.Background(), c); err == nil {
			t.Errorf("a key of %d bytes was claimed", n)
		}
		s := g.records.claimOwnRow(c)
		if _, err := r.plain.ExecContext(context.Background(), s.SQL, s.Args...); err == nil {
			t.Errorf("a key of %d bytes was claimed with its row", n)
		}
	}
	if r.rows() != 0 {
		t.Errorf("%d records", r.rows())
	}
	if _, err := g.Run(context.Background(), delivery(strings.Repeat("x", 256)), r.till.charge); !errors.Is(err, ErrKey) {
		t.Errorf("%v", err)
	}
	// The control: the server does cut, where nothing forbids it.
	r.exec("CREATE TABLE " + r.table + "_cut (k VARBINARY(4))")
	for _, key := range []string{"xxxxa", "xxxxb"} {
		if _, err := r.plain.ExecContext(context.Background(), "INSERT INTO "+r.table+"_cut VALUES (?)", key); err != nil {
			t.Errorf("control: %v", err)
		}
	}
}
