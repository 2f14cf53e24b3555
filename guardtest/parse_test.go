package guardtest

import (
	"context"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/testdb"
)

var testStatements, _ = dialect.Load("sqlite", "")

// A word that nobody knows is refused: a misspelt expectation must not pass.
func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"job policy=hold":                            "before the first scenario",
		"scenario s\ndelivers a acts -> completed":   "unknown step delivers",
		"scenario s\ndeliver a axes -> completed":    "unknown word axes",
		"scenario s\ndeliver -> completed":           "no worker",
		"scenario s\ndeliver a acts":                 "expectation missing",
		"scenario s\ndeliver a -> done":              "unknown outcome done",
		"scenario s\ndeliver a -> held acknowledged": "unknown flag acknowledged",
		"scenario s\ndeliver a -> held value_of=1":   "unknown expectation value_of",
		"scenario s\ndeliver a oder=2 -> held":       "unknown option oder",
		"scenario s\nage 1s -> older":                "expectation missing or too much",
		"scenario s\nrecord -> is acts=1 acts=2":     "said twice",
		"scenario s\n-> held":                        "no step",
	} {
		if _, err := parse("f.txt", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// What a scenario expects and is not so fails it, at its line.
func TestRunFails(t *testing.T) {
	d, err := newDatabase(t.Context(), Setup{Dialect: twiceproof.SQLite, Connector: at{sqliteDriver, testdb.SQLite(t) + "&_pragma=synchronous(0)"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.close)
	for steps, want := range map[string]string{
		"deliver a acts -> held":                                                     "f.txt:3: deliver: completed, want held",
		"deliver a acts -> completed":                                                "acknowledge: true",
		"deliver a acts -> completed acknowledge repeat":                             "repeat: false",
		"deliver a acts -> completed acknowledge completion=found":                   "completion=acted, want found",
		"deliver a acts -> completed acknowledge value=x":                            "value=none, want x",
		"deliver a pauses -> paused\ndeliver b -> live retry_after=1s":               "retry_after=",
		"deliver a pauses -> paused\ndeliver a -> live":                              "still under way",
		"deliver a pauses\t-> paused\nwake a renew_refused -> completed acknowledge": "renewed, want it refused",
		"wake a -> lost": "does not pause",
		"lose complete reply\ndeliver a refuses -> released":      "did not happen: reply of complete",
		"lose completion reply":                                   "no verb completion",
		"lose complete":                                           "want a verb",
		"pause stale\nsweep -> done":                              "did not happen: a pause of a sweep",
		"record -> is acts=1":                                     "no rows",
		"deliver a -> completed acknowledge\nrecord -> none":      "record in state",
		"deliver a -> completed acknowledge\nrecord -> is acts=2": "acts=1, want 2",
		"effects -> 1":                                            "0, want 1",
		"deliver a from=queue -> live":                            "the queue is empty",
		"age 1s":                                                  "changed 0 records",
		"age long":                                                "invalid duration",
		"job policy=lookup":                                       "lookup needs a settle time",
		"sweep -> done held=1":                                    "held=0, want 1",
		"resolve done -> resolved":                                "applied: false",
		"deliver a pauses -> paused\nage 60s\nsweep apply -> done held=1 reason=x": "reason=worker_vanished, want x",
	} {
		parsed, err := parse("f.txt", "scenario s\njob policy=hold\n"+steps)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.run(context.Background(), parsed[0]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", steps, err, want)
		}
	}
}
