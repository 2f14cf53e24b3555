package change

import (
	"go/format"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/twiceproof/twiceproof/job"
)

// A name that means something in YAML, SQL, Go or Ruby is still that name there.
func TestJobNames(t *testing.T) {
	for _, name := range []string{"Charge #2", "mail: welcome", "1", "yes", "customer's receipt", `say "hi"`, `back\slash`, "#{exit}", "été", "charge.create"} {
		r := requestOf(SQL, "postgres", job.SQS, job.Outside)
		r.Job.Type = name
		var replay struct{ Job string }
		if err := yaml.Unmarshal([]byte(replayTextOf(t, r)), &replay); err != nil || replay.Job != name {
			t.Errorf("the replay file's job is %q, want %q; %v", replay.Job, name, err)
		}
		if _, err := format.Source([]byte(sketchTextOf(t, r))); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if want := "'" + strings.ReplaceAll(name, "'", "''") + "'"; !strings.Contains(backfills(r)[0].Text, want) {
			t.Errorf("the backfill has not %s:\n%s", want, backfills(r)[0].Text)
		}
		r.Job.Queue, r.Job.Message = job.Sidekiq, "ChargeJob"
		if text := sketchTextOf(t, r); strings.Contains(name, "#{") && !strings.Contains(text, `"\#{exit}"`) {
			t.Errorf("Ruby would run %q in\n%s", name, text)
		}
	}
}

// What Go escapes with eight digits stays one character in Ruby, also next to another one, and
// a text that looks so stays a text.
func TestRubyText(t *testing.T) {
	for text, want := range map[string]string{
		"\U000e0001\U000e0002": `"\u{0e0001}\u{0e0002}"`, `\U000e0001`: `"\\U000e0001"`, "\\\U000e0001": `"\\\u{0e0001}"`, `\#{a}`: `"\\\#{a}"`,
	} {
		if got := rubyText(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// A person sees that a name goes on, and only then.
func TestQuoted(t *testing.T) {
	wide := strings.Repeat("倉", 80)
	for text, want := range map[string]string{wide: `"` + wide + `"`, wide + "庫": `"` + wide + `"…`, "\n": `"\n"`} {
		if got := quoted(text); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
