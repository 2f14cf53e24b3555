package fit

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// fitting are answers of a job that fits: a charge that can be looked up.
func fitting() Answers {
	return Answers{
		"wanted": "stop_repeats", "jobs": "one", "service": "neither", "queue": "sqs", "job": "charge.create", "message": "charges",
		"repository": "yes", "database": "postgres", "table": "yes", "staging": "yes", "outside_calls": "yes",
		"identifier": "in_message", "key": "body.order.id", "fingerprint": "body.amount_cents", "repeat": "One charge for each order.", "enqueuers": "one", "longest_run": "40s",
		"effect": "outside", "what": "a charge at the payment service", "effects": "one", "lookup": "yes", "settle": "30s",
	}
}

// with changes some answers; an empty one is taken out.
func (a Answers) with(changes ...string) Answers {
	changed := maps.Clone(a)
	for i := 0; i < len(changes); i += 2 {
		changed[changes[i]] = changes[i+1]
	}
	return changed
}

// mail is an effect that can neither be recognised nor looked up.
func mail(policy string) Answers {
	return fitting().with("lookup", "no", "settle", "", "reference", "no", "policy", policy)
}

func decided(t *testing.T, a Answers) Decision {
	t.Helper()
	for _, q := range Relevant(a) {
		if what, _ := q.Check(a[q.ID], a); what != "" {
			t.Fatalf("%s %s", q.ID, what)
		}
	}
	d, err := Decide(a)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Each line of the two lists of when it fits and when not, by the answer that says so.
func TestVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		answers Answers
		verdict string
		because string // the question on which it hangs
	}{
		"it fits":                        {fitting(), Fits, ""},
		"Sidekiq":                        {fitting().with("queue", "sidekiq", "key", "args[0]", "fingerprint", "args[1]"), Fits, ""},
		"Celery":                         {fitting().with("queue", "celery", "key", "kwargs.order_id", "fingerprint", "kwargs.amount, kwargs.currency"), Fits, ""},
		"MySQL":                          {fitting().with("database", "mysql"), Fits, ""},
		"SQLite":                         {fitting().with("database", "sqlite"), Fits, ""},
		"identifier to be added":         {fitting().with("identifier", "can_be_added"), Fits, ""},
		"enqueuers that agree":           {fitting().with("enqueuers", "agree"), Fits, ""},
		"clean-up besides":               {fitting().with("wanted", "stop_and_clean_up"), Fits, ""},
		"test system":                    {fitting().with("outside_calls", "test_system"), Fits, ""},
		"own row":                        {fitting().with("effect", "own_row", "effects", "", "lookup", "", "settle", ""), Fits, ""},
		"reference":                      {fitting().with("lookup", "no", "settle", "", "reference", "yes", "reference_window", "24h"), Fits, ""},
		"reference of unknown memory":    {fitting().with("lookup", "no", "settle", "", "reference", "yes"), Fits, ""},
		"reference that is forgotten":    {fitting().with("lookup", "no", "settle", "", "reference", "yes", "reference_window", "2m", "policy", "undecided"), FitsToChoose, ""},
		"mail, held":                     {mail("hold"), Fits, ""},
		"mail, a rare duplicate":         {mail("accept_duplicate"), Fits, ""},
		"mail, a rare miss":              {mail("accept_miss"), Fits, ""},
		"mail, not decided":              {mail("undecided"), FitsToChoose, ""},
		"nothing but the required":       {fitting().with("job", "", "message", "", "key", "", "repeat", "", "longest_run", "", "what", "", "settle", ""), Fits, ""},
		"only clean-up":                  {Answers{"wanted": "clean_up"}, Stop, "wanted"},
		"another broker":                 {Answers{"wanted": "change_queue"}, Stop, "wanted"},
		"several job types":              {Answers{"wanted": "stop_repeats", "jobs": "several"}, Stop, "jobs"},
		"invoices":                       {Answers{"wanted": "stop_repeats", "jobs": "one", "service": "invoices"}, Stop, "service"},
		"webhooks":                       {Answers{"wanted": "stop_repeats", "jobs": "one", "service": "webhooks"}, Stop, "service"},
		"RQ":                             {fitting().with("queue", "rq", "key", ""), Stop, "queue"},
		"another queue":                  {fitting().with("queue", "other", "key", ""), Stop, "queue"},
		"no repository":                  {fitting().with("repository", "no"), Stop, "repository"},
		"another database":               {fitting().with("database", "other", "table", ""), Stop, "database"},
		"no database":                    {fitting().with("database", "none", "table", ""), Stop, "database"},
		"no table":                       {fitting().with("table", "no"), Stop, "table"},
		"no staging":                     {fitting().with("staging", "no"), Stop, "staging"},
		"live outside calls":             {fitting().with("outside_calls", "no"), Stop, "outside_calls"},
		"no identifier":                  {fitting().with("identifier", "none", "key", "", "repeat", ""), Stop, "identifier"},
		"the queue's id":                 {fitting().with("identifier", "queue_id", "key", "", "repeat", ""), Stop, "identifier"},
		"enqueuers that disagree":        {fitting().with("enqueuers", "disagree"), Stop, "enqueuers"},
		"many effects":                   {fitting().with("effects", "many"), Stop, "effects"},
		"no policy is acceptable":        {mail("none"), Stop, "policy"},
		"forgotten, and no policy":       {fitting().with("lookup", "no", "settle", "", "reference", "yes", "reference_window", "1m", "policy", "none"), Stop, "policy"},
		"policy of no matter, looked up": {fitting().with("policy", "none"), Fits, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := decided(t, c.answers)
			if d.Verdict != c.verdict {
				t.Fatalf("%s, want %s: %+v", d.Verdict, c.verdict, d.Stops)
			}
			if c.because == "" {
				return
			}
			if len(d.Stops) != 1 || d.Stops[0].Question != c.because || d.Stops[0].Why == "" || d.Stops[0].Mend == "" {
				t.Errorf("stops %+v, want one, of %s, with its reason and what to do", d.Stops, c.because)
			}
		})
	}
}

// No reason to stop is there that no answers lead to, and the table above reaches each.
func TestEveryStopIsReached(t *testing.T) {
	reached := map[string]bool{}
	for _, a := range []Answers{fitting(), mail("hold"), fitting().with("effect", "own_row")} {
		for _, q := range Relevant(a) {
			for _, o := range q.Options {
				if o.Stop == "" {
					continue
				}
				changed := a.with(q.ID, o.Value)
				for _, missing := range Missing(changed) {
					t.Errorf("%s: %s makes %s matter", q.ID, o.Value, missing.ID)
				}
				if d := decided(t, withoutUnused(changed)); d.Verdict != Stop || len(d.Stops) != 1 || d.Stops[0].Answer != o.Value {
					t.Errorf("%s: %s leads to %s, %+v", q.ID, o.Value, d.Verdict, d.Stops)
				}
				reached[q.ID+": "+o.Value] = true
			}
		}
	}
	for _, q := range Questions() {
		for _, o := range q.Options {
			if o.Stop != "" && !reached[q.ID+": "+o.Value] {
				t.Errorf("no answers reach %s: %s", q.ID, o.Value)
			}
			if (o.Stop == "") != (o.Mend == "") || o.Ends && o.Stop == "" || o.Stop != "" && o.Note != "" {
				t.Errorf("%s: %s says half of it", q.ID, o.Value)
			}
		}
	}
	if len(reached) != 18 {
		t.Errorf("%d stops are reached: is the table of verdicts in step?", len(reached))
	}
}

func withoutUnused(a Answers) Answers {
	for _, id := range Unused(a) {
		delete(a, id)
	}
	return a
}

// All reasons are told, not the first alone; but nothing more after one that ends it.
func TestAllReasonsAreTold(t *testing.T) {
	d := decided(t, fitting().with("repository", "no", "enqueuers", "disagree", "effects", "many"))
	var said []string
	for _, r := range d.Stops {
		said = append(said, r.Question)
	}
	if got := strings.Join(said, " "); got != "repository enqueuers effects" {
		t.Errorf("got %s", got)
	}
	ended := fitting().with("jobs", "several", "repository", "no")
	if d := decided(t, ended); len(d.Stops) != 1 || len(Relevant(ended)) != 2 || len(d.Unused) != len(ended)-2 {
		t.Errorf("got %+v", d)
	}
}

func TestPolicyFollowsFromTheAnswers(t *testing.T) {
	for _, c := range []struct {
		answers Answers
		stale   job.Stale
		promise string
	}{
		{fitting(), job.Stale{Policy: job.Lookup, Settle: 30 * time.Second}, "once for each operation, as long as no worker acts after its lease"},
		{fitting().with("settle", ""), job.Stale{Policy: job.Lookup, Settle: unknownSettle}, "once for each operation, as long as"},
		{
			fitting().with("lookup", "no", "reference", "yes", "reference_window", "24h"), job.Stale{Policy: job.Resend, ReferenceWindow: 24 * time.Hour},
			"once for each operation, while the outside system remembers the reference (1d)",
		},
		{ // nobody knows, and the lease is long: the placeholder still makes a sound file
			fitting().with("lookup", "no", "reference", "yes", "longest_run", "10h"), job.Stale{Policy: job.Resend, ReferenceWindow: 60 * time.Hour},
			"while the outside system remembers",
		},
		{mail("hold"), job.Stale{Policy: job.Hold}, "not promised to happen once"},
		{mail("accept_duplicate"), job.Stale{Policy: job.AcceptDuplicate}, "not promised to happen once"},
		{mail("accept_miss"), job.Stale{Policy: job.AcceptMiss}, "not promised to happen once"},
		{mail("undecided"), job.Stale{Policy: job.Hold}, "not promised to happen once"},
		{fitting().with("effect", "own_row"), job.Stale{}, "once for each operation: the row, the claim and the completion are one transaction"},
	} {
		d := decided(t, withoutUnused(c.answers))
		if d.Job.Stale != c.stale || !strings.Contains(d.Promise, c.promise) {
			t.Errorf("%v: got %+v, %q", c.answers, d.Job.Stale, d.Promise)
		}
	}
}
