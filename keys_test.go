package twiceproof

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/job"
)

// Bytes are identity: keys that look alike are operations of their own.
func TestKeysThatLookAlike(t *testing.T) {
	keys := []string{
		"Order-1", "order-1", "k", "k ", " k", "k\t", "caf\u00e9", "cafe\u0301", "resume", "résumé", "ß", "ss",
		"\U0001F600", "\U0001F601", "a/b", "a%2Fb", "a%252Fb", "%", "_", "'", `"`, `\`, "?", "$1", ";--", "0", "00", "-0",
		strings.Repeat("x", 255), strings.Repeat("x", 254), strings.Repeat("é", 127), "\u2028", "a\nb", "a\r\nb",
	}
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(holdJob())
		n := 0
		for _, key := range keys {
			if len(strings.NewReplacer("%", "%25", "/", "%2F").Replace(key)) > 255 {
				t.Fatalf("%q is too long", key)
			}
			first, err := g.Run(context.Background(), delivery(key), r.till.charge)
			if key == "\u2028" {
				if !errors.Is(err, ErrKey) {
					t.Errorf("a blank key: %v", err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%q: %v", key, err)
			}
			again := r.run(g, key)
			if n++; first.Repeat || !again.Repeat || first.Key != again.Key {
				t.Errorf("%q: %+v, then %+v", key, first, again)
			}
		}
		if r.rows() != n || r.till.total() != n {
			t.Errorf("%d records and %d effects for %d operations", r.rows(), r.till.total(), n)
		}
	})
}

// A key of several parts cannot be made to look like another's.
func TestKeysOfSeveralParts(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		j := holdJob()
		j.Operation.Key = append(j.Operation.Key, job.MustParsePath("body.part"))
		parts := [][2]string{{"a/b", "c"}, {"a", "b/c"}, {"a%2Fb", "c"}, {"a%", "2Fb/c"}}
		for _, p := range parts {
			d := deliveryOf(p[0], "12")
			d.Fields["body"].(map[string]any)["part"] = p[1]
			if res, err := r.guard(j).Run(context.Background(), d, r.till.charge); err != nil || res.Repeat {
				t.Errorf("%q: %+v, %v", p, res, err)
			}
		}
		if r.rows() != len(parts) || r.till.total() != len(parts) {
			t.Errorf("%d records, %d effects", r.rows(), r.till.total())
		}
	})
}

// An integer and its text are one operation, with every digit.
func TestIntegerKeys(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for _, order := range []any{json.Number("9007199254740993"), int64(9007199254740993), "9007199254740993", json.Number("9007199254740992")} {
			d := delivery("")
			d.Fields["body"].(map[string]any)["order"] = order
			if _, err := r.guard(holdJob()).Run(context.Background(), d, r.till.charge); err != nil {
				t.Fatal(err)
			}
		}
		if r.rows() != 2 || r.till.total() != 2 {
			t.Errorf("%d records, %d effects, want 2", r.rows(), r.till.total())
		}
	})
}

// Twenty jobs without a key are twenty refusals, not one operation.
func TestKeylessMessages(t *testing.T) {
	type o = map[string]any
	bodies := []any{
		o{}, o{"order": nil}, o{"order": ""}, o{"order": "  "}, o{"order": "\t\n"}, o{"order": "\u00a0\u200b"}, o{"order": []any{}},
		o{"order": o{}}, o{"order": o{"a": nil}}, o{"order": []any{"1"}}, o{"order": "None"}, o{"order": "nil"}, o{"order": "null"},
		o{"order": "undefined"}, o{"order": "<nil>"}, o{"order": true}, o{"order": json.Number("1.5")}, o{"order": 1.0},
		"just a text", nil, o{"order": "a\x00b"}, o{"order": "a\xffb"}, o{"order": strings.Repeat("x", 256)},
		o{"order": strings.Repeat("/", 86)}, o{"order": "k", "amount": []any{}},
	}
	onEach(t, func(t *testing.T, r *rig) {
		r.faults.set(nil)
		for _, body := range bodies {
			for _, j := range bothPolicies() {
				res, err := r.guard(j).Run(context.Background(), Delivery{Fields: job.Fields{"body": body}}, r.till.charge)
				if !errors.Is(err, ErrKey) || res.Acknowledge() {
					t.Errorf("%v: %+v, %v", body, res, err)
				}
				if errors.Is(err, ErrKey) && strings.Contains(err.Error(), "xxx") {
					t.Errorf("the error shows the value: %v", err)
				}
			}
		}
		if _, err := r.guard(holdJob()).Run(context.Background(), Delivery{}, r.till.charge); !errors.Is(err, ErrKey) {
			t.Errorf("no fields: %v", err)
		}
		if r.rows() != 0 || r.till.total() != 0 || r.faults.total != 0 {
			t.Errorf("%d records, %d effects, %d statements", r.rows(), r.till.total(), r.faults.total)
		}
	})
}

// The unique key is what enforces: without it, two workers that both saw nothing
// both get the claim.
func TestUniqueKeyEnforces(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		claim := func(g *Guard, key string) error {
			c, err := g.prepare(delivery(key))
			if err != nil {
				t.Fatal(err)
			}
			g.records.readFirst = false
			claim := g.records.statement(g.records.sql.Claim, g.records.claimArgs(c)...)
			_, err = g.records.db.ExecContext(context.Background(), claim.SQL, claim.Args...)
			return err
		}
		g := r.guard(holdJob())
		for range 2 {
			if err := claim(g, "kept"); err != nil {
				t.Fatal(err)
			}
		}
		if r.rows() != 1 {
			t.Errorf("%d records of one key", r.rows())
		}
		r.dropKey()
		_, err := r.guard(holdJob()).Run(context.Background(), delivery("without"), r.till.charge)
		if err == nil {
			t.Error("a table without its key was worked with")
		}
		g.records.sql.Claim = strings.Replace(g.records.sql.Claim, "ON CONFLICT (job_type, operation_key) DO NOTHING", "", 1)
		before := r.rows()
		for range 2 {
			if err := claim(g, "dropped"); err != nil {
				t.Fatal(err)
			}
		}
		if got := r.rows() - before; got != 2 {
			t.Errorf("control: %d claims without the key, want 2", got)
		}
	})
}

// dropKey takes the primary key away.
func (r *rig) dropKey() {
	r.t.Helper()
	statements := []string{"ALTER TABLE " + r.table + " DROP CONSTRAINT " + r.table + "_pkey"}
	switch r.d.dialect {
	case MySQL:
		statements = []string{"ALTER TABLE " + r.table + " DROP PRIMARY KEY"}
	case SQLite:
		statements = []string{
			"ALTER TABLE " + r.table + " RENAME TO with_key",
			"CREATE TABLE " + r.table + " AS SELECT * FROM with_key",
		}
	}
	for _, s := range statements {
		if _, err := r.plain.ExecContext(context.Background(), s); err != nil {
			r.t.Fatal(err)
		}
	}
}
