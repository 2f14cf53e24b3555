package twiceproof

import (
	"context"
	"fmt"
	"testing"

	"github.com/twiceproof/twiceproof/job"
)

// written are ways to write one message.
var written = []string{
	`{"order": {"id": "caf\u00e9/42", "of": 9007199254740993}, "amount": 12.50, "note": null}`,
	`{"amount":12.5,"order":{"of":9007199254740993,"id":"café/42"}}`,
	"{\n\t\"note\" : null ,\r\n \"amount\": 12.500, \"order\":{ \"id\":\"caf\\u00E9\\/42\",\"of\" :9007199254740993 } }\n",
	`{"order":{"of":9007199254740993,"id":"\u0063afé/42","more":[1,2]},"amount":1.25e1,"at":"2026-03-04T05:06:07Z"}`,
}

// otherwise are messages of the same operation that are not the same content.
var otherwise = []string{
	`{"order":{"id":"café/42","of":9007199254740992},"amount":12.5}`,
	`{"order":{"id":"café/42","of":9007199254740993},"amount":"12.5"}`,
	`{"order":{"id":"café/42","of":9007199254740993},"amount":12.51}`,
	`{"order":{"id":"café/42","of":9007199254740993},"amount":12.5,"note":""}`,
	`{"order":{"id":"café/42","of":"9007199254740993"},"amount":12.5}`,
}

// jsonColumns are how a database keeps JSON, and gives it back: some write it anew.
var jsonColumns = map[Dialect][]struct{ column, put, get string }{
	Postgres: {{"text", "$1", "v"}, {"json", "$1::json", "v::text"}, {"jsonb", "$1::jsonb", "v::text"}},
	MySQL:    {{"JSON", "?", "v"}, {"LONGTEXT", "?", "JSON_COMPACT(v)"}, {"LONGTEXT", "?", "JSON_LOOSE(v)"}, {"LONGTEXT", "?", "JSON_DETAILED(v)"}},
	SQLite:   {{"TEXT", "?", "v"}, {"TEXT", "json(?)", "v"}, {"BLOB", "jsonb(?)", "json(v)"}},
}

func jsonJob() job.Job {
	j := holdJob()
	j.Operation.Key = []job.Path{job.MustParsePath("body.order.id")}
	j.Operation.Fingerprint = []job.Path{job.MustParsePath("body.amount"), job.MustParsePath("body.order.of"), job.MustParsePath("body.note")}
	return j
}

// kept is the message as the column gives it back.
func (r *rig) kept(message string, c struct{ column, put, get string }) (got string) {
	r.t.Helper()
	table := fmt.Sprintf("kept_%d", tables.Add(1))
	r.exec("CREATE TABLE " + table + " (v " + c.column + ")")
	if _, err := r.plain.ExecContext(context.Background(), "INSERT INTO "+table+" VALUES ("+c.put+")", message); err != nil {
		r.t.Fatal(err)
	}
	if err := r.plain.QueryRowContext(context.Background(), "SELECT "+c.get+" FROM "+table).Scan(&got); err != nil {
		r.t.Fatal(err)
	}
	return got
}

// However one message is written, and whatever a JSON column makes of it, it is the same
// operation with the same content; and another content is never taken for the same.
func TestMessagesFromJSONColumns(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(jsonJob())
		deliver := func(message string) Result {
			fields, err := job.FieldsOfSQS([]byte(message), nil)
			if err != nil {
				t.Fatalf("%s: %v", message, err)
			}
			res, err := g.Run(context.Background(), Delivery{Fields: fields, Message: []byte(message)}, r.till.charge)
			if err != nil {
				t.Fatalf("%s: %v", message, err)
			}
			return res
		}
		if first := deliver(written[0]); first.Repeat || first.Key != "café%2F42" {
			t.Errorf("%+v", first)
		}
		anew := 0
		for _, c := range jsonColumns[r.d.dialect] {
			for _, message := range written {
				got := r.kept(message, c)
				if got != message {
					anew++
				}
				if res := deliver(got); !res.Repeat || res.Outcome != Completed {
					t.Errorf("%s kept as %s: %+v", got, c.column, res)
				}
			}
			for _, message := range otherwise {
				if res := deliver(r.kept(message, c)); res.Outcome != Mismatch || res.Acknowledge() {
					t.Errorf("%s kept as %s: %+v", message, c.column, res)
				}
			}
		}
		if anew < 3 {
			t.Errorf("only %d were written anew by a column", anew)
		}
		if r.rows() != 1 || r.till.total() != 1 {
			t.Errorf("%d records, %d effects", r.rows(), r.till.total())
		}
	})
}
