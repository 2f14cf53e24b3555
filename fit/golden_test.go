package fit

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/twiceproof/twiceproof/internal/golden"
)

// One of each verdict, in each form, and the job file that comes of it.
func TestGolden(t *testing.T) {
	for name, a := range map[string]Answers{
		"fits": fitting(),
		"choose": withoutUnused(mail("undecided").with(
			"wanted", "stop_and_clean_up", "job", "", "fingerprint", "", "what", "a *receipt* | by <mail>", "longest_run", "5h", "queue", "sqs", "database", "sqlite")).with("settle", "5s"),
		"own_row": withoutUnused(fitting().with("effect", "own_row", "queue", "sidekiq", "key", "args[0]", "fingerprint", "args[1], args[2].currency", "identifier", "can_be_added")),
		"stop":    fitting().with("repository", "no", "identifier", "queue_id", "key", "", "enqueuers", "disagree"),
	} {
		d := decided(t, a)
		var text, markdown bytes.Buffer
		if err := d.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		if err := d.WriteMarkdown(&markdown); err != nil {
			t.Fatal(err)
		}
		result, err := json.MarshalIndent(d.Result(), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "testdata/"+name+".txt", text.Bytes())
		golden.Check(t, "testdata/"+name+".md", markdown.Bytes())
		golden.Check(t, "testdata/"+name+".json", append(result, '\n'))
		if d.Verdict != Stop {
			golden.Check(t, "testdata/"+name+".yaml", d.WriteJob())
		}
	}
	golden.Check(t, "testdata/answers.yaml", []byte(Template()))
}
