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
