package fit

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/twiceproof/twiceproof/jobfile"
)

// An empty template asks for what is needed and nothing else; filled in it is read.
func TestTemplateIsAnAnswersFile(t *testing.T) {
	_, err := ReadAnswers("a.yaml", []byte(Template()))
	for _, e := range jobfile.Errors(err) {
		if e.Line == 0 || !strings.HasSuffix(e.What, " is not answered") || e.Hint == "" {
			t.Errorf("got %v", e)
		}
	}
	if got := len(jobfile.Errors(err)); got != len(Missing(Answers{})) || got == 0 {
		t.Errorf("%d errors", got)
	}
	filled := Template()
	for id, answer := range fitting() {
		filled = strings.Replace(filled, "\n"+id+":\n", "\n"+id+": "+answer+"\n", 1)
	}
	got, err := ReadAnswers("a.yaml", []byte(filled))
	if err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(got, func(_, answer string) bool { return answer == "" })
	if !maps.Equal(got, fitting()) {
		t.Errorf("got %v", got)
	}
}

// What is read as something else than a text in YAML is the answer that was meant.
func TestAnswersAsPeopleWriteThem(t *testing.T) {
	text := "\ufeff"
	for id, answer := range fitting() {
		if id != "repository" && id != "table" && id != "key" && id != "job" && id != "repeat" {
			text += fmt.Sprintf("%s: %q\n", id, answer)
		}
	}
	text += "repository: true\ntable: yes\nkey:\n  - body.order.id\n  - attributes.tenant\njob: 42 # a comment\nrepeat: |\n  One charge\n"
	got, err := ReadAnswers("a.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got["repository"] != "yes" || got["table"] != "yes" || got["key"] != "body.order.id, attributes.tenant" || got["job"] != "42" || got["repeat"] != "One charge" {
		t.Errorf("got %q", got)
	}
}

func TestRefusedAnswers(t *testing.T) {
	sound := func(changes ...string) string {
		text := ""
		for _, q := range Questions() {
			if answer := fitting().with(changes...)[q.ID]; answer != "" {
				text += q.ID + ": " + answer + "\n"
			}
		}
		return text
	}
	for name, c := range map[string]struct{ text, want, hint string }{
		"nothing":                     {"", "a.yaml: answers nothing", "twiceproof fit --print-answers"},
		"only a remark":               {"# later\n", "a.yaml: answers nothing", "--print-answers"},
		"a list":                      {"- a\n", "a.yaml: does not begin with a question", "--print-answers"},
		"no YAML":                     {"wanted: [\n", "a.yaml: is not sound YAML", "quote an answer"},
		"two documents":               {"wanted: clean_up\n---\njobs: one\n", "second document", "---"},
		"not a text":                  {"wanted: \x00", "a.yaml: is no text", "--print-answers"},
		"brackets":                    {strings.Repeat("[", 5000), "more brackets", "--print-answers"},
		"nested dashes":               {strings.Repeat("- ", 5000), "more brackets", "--print-answers"},
		"a dump":                      {strings.Repeat("x: y\n", 10000), "too large", "--print-answers"},
		"unknown question":            {sound() + "qeue: sqs\n", `a.yaml:23: there is no question "qeue"`, "did you mean queue?"},
		"very unknown question":       {sound() + "frobnicated_things: 1\n", `there is no question "frobnicated_things"`, "the questions are wanted, jobs, "},
		"twice":                       {sound() + "queue: sqs\n", "already defined", "write question: answer"},
		"a map":                       {sound("job", "{a: b}"), "job must be a text", "in quotes"},
		"lists in a list":             {sound("key", "[[a]]"), "key must be a text", "in quotes"},
		"anchor":                      {sound("job", "&a charge.create"), "job must be a text", "in quotes"},
		"no such answer":              {sound("queue", "kafka"), "queue has no answer of that name", "write sidekiq, celery, sqs, rq or other"},
		"missing":                     {sound("effect", ""), "a.yaml: effect is not answered", "write own_row or outside"},
		"no unit":                     {sound("longest_run", "40"), "longest_run has no unit", "write 40s if seconds are meant"},
		"no run":                      {sound("longest_run", "0s"), "longest_run is no run time of a job", "such as 40s"},
		"a very long run":             {sound("longest_run", "8d"), "longest_run is no run time of a job", "such as 40s"},
		"no time to settle":           {sound("settle", "0s"), "settle is no time at all", "leave it out"},
		"a value for a key":           {sound("key", "ORD-1042"), "key is no place in a message", "such as body.order.id"},
		"another queue's key":         {sound("key", "kwargs.order_id"), "key starts with kwargs, which a message of sqs does not have", "body.order.id"},
		"a value for a fingerprint":   {sound("fingerprint", "19.90"), "fingerprint is no place in a message", "such as body.amount_cents"},
		"another queue's fingerprint": {sound("fingerprint", "args[1]"), "fingerprint starts with args, which a message of sqs does not have", "body.amount_cents"},
		"the key as fingerprint":      {sound("fingerprint", `"body.amount, body.order[\"id\"]"`), "fingerprint names body.order.id, which is in the key", "what else must not differ"},
		"a key twice":                 {sound("key", `"body.a, body.a"`), "key names a place twice", "body.order.id"},
		"a long name":                 {sound("job", strings.Repeat("x", 65)), "job is longer than 64 bytes", "charge.create"},
		"a long text":                 {sound("repeat", strings.Repeat("x", 301)), "repeat is longer than 300 characters", "a sentence or two"},
		"lines":                       {sound("repeat", `"a\nb"`), "repeat has a character that cannot be shown", "one line"},
		"a line turned round":         {sound("repeat", `"a\u202eb"`), "repeat has a character that cannot be shown", "one line"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadAnswers("a.yaml", []byte(c.text))
			errs := jobfile.Errors(err)
			if len(errs) == 0 || !strings.Contains(errs[0].Error(), c.want) || !strings.Contains(errs[0].Hint, c.hint) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func FuzzReadAnswers(f *testing.F) {
	f.Add("wanted: clean_up")
	f.Add("key: [a, b]\nqueue: sqs")
	f.Add("? a : b")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ReadAnswers("a.yaml", []byte(text))
		if err != nil {
			if len(jobfile.Errors(err)) == 0 {
				t.Errorf("no place in %v", err)
			}
			return
		}
		if _, err := Decide(a); err != nil {
			t.Errorf("read, and not decided: %v", err)
		}
	})
}

// What matters depends on earlier answers alone, so whoever asks in order never has to
// come back; and any answers lead to a verdict.
func TestOrderOfQuestions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := Answers{}
		for _, q := range Questions() {
			if !q.IsRelevant(a) {
				continue
			}
			before := len(Relevant(a))
			if len(q.Options) > 0 {
				a[q.ID] = q.Options[rapid.IntRange(0, len(q.Options)-1).Draw(rt, q.ID)].Value
			} else if q.check != nil && strings.Contains(q.Why, "30s") || strings.Contains(q.Why, "24h") || strings.Contains(q.Why, "40s") {
				a[q.ID] = rapid.SampledFrom([]string{"", "1s", "1m", "5m", "24h"}).Draw(rt, q.ID)
			}
			for i, r := range Relevant(a)[:min(before, len(Relevant(a)))] {
				if r.ID == q.ID {
					break
				}
				if _, answered := a[r.ID]; !answered && len(r.Options) > 0 {
					rt.Fatalf("after %s, %s (%d) matters and was not asked", q.ID, r.ID, i)
				}
			}
		}
		if _, err := Decide(a); err != nil {
			rt.Fatal(err)
		}
	})
}

func TestBlanksOfOtherLanguages(t *testing.T) {
	for _, text := range []string{"Un débit\u202f: un seul par commande", "一つの注文に\u3000一つの請求"} {
		if what, _ := checkText(text); what != "" {
			t.Errorf("%q %s", text, what)
		}
	}
}
