package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/twiceproof/twiceproof/admin"
	"github.com/twiceproof/twiceproof/internal/shell"
	"github.com/twiceproof/twiceproof/internal/visible"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

// whyUnsaid stands for the reason that a person has to put; resolve refuses it.
const whyUnsaid = "why"

var reasons = map[string]string{
	"worker_vanished":        "its worker died or hung in the act",
	"unknown_outcome":        "its worker could not tell whether the effect happened",
	"max_takeovers":          "worker after worker vanished with it",
	"max_lookups":            "no look-up gave an answer",
	"reference_window":       "the service may have forgotten its reference",
	"max_acts":               "it was acted on twice, and both are in doubt",
	"mode_changed":           "it was claimed before the job's effect became a row in its own database",
	"body_ended_transaction": "the job's body ended the guard's transaction by itself",
	"max_requeues":           "its message was put back again and again, and nobody took it up",
	"no_message":             "no message comes any more, and none is stored",
	"other_message":          "the stored message is not its own",
}

func reasonInWords(reason string) string {
	if words := reasons[reason]; words != "" {
		return words
	}
	return "no reason that this version knows"
}

// question is what a person has to find out.
func question(rec admin.Record, j *job.Job) string {
	what := "Did the effect happen"
	if j != nil && j.Effect.What != "" {
		what = "Did the effect happen (" + j.Effect.What + ")"
	}
	switch {
	case rec.HoldReason == "body_ended_transaction" || j != nil && j.Effect.Kind == job.OwnRow:
		return what + "? Look for its row in the database."
	case rec.Reference != "":
		return fmt.Sprintf("%s? Look it up under reference %q.", what, rec.Reference)
	}
	return what + "? Look it up by the operation key."
}

// commands are to be pasted into a shell, one for each decision that is possible.
func (f heldFlags) commands(rec admin.Record, j *job.Job) map[string]string {
	all := map[string]string{"done": f.command(rec, "--done"), "drop": f.command(rec, "--drop")}
	if !admin.RowOfItsOwn(rec, j) {
		all["run_again"] = f.command(rec, "--run-again")
	}
	return all
}

func (f heldFlags) command(rec admin.Record, decision string) string {
	words := []string{"twiceproof", "resolve"}
	for _, flag := range []struct{ name, value string }{
		{"--file", f.file}, {"--table", f.table}, {"--job", rec.JobType}, {"--held-at", at(rec.HeldAt)},
	} {
		if flag.value != "" && (flag.name != "--file" || flag.value != jobfile.DefaultName) {
			words = append(words, flag.name, flag.value)
		}
	}
	words = append(words, decision, "--why", whyUnsaid)
	if strings.HasPrefix(rec.Key, "-") { // it would be taken for a flag
		words = append(words, "--")
	}
	words = append(words, rec.Key)
	for i, word := range words {
		words[i] = shell.Word(word)
	}
	return strings.Join(words, " ")
}

func oddWord(word string) bool { return word != visible.Line(word) }

// lineWord is a word of held --lines: in Go's quotes where it holds what ends a line, or
// what a terminal would obey. A tab is left as it is, in the key, which is the last word.
func lineWord(word string) string {
	if strings.HasPrefix(word, `"`) || oddWord(strings.ReplaceAll(word, "\t", " ")) {
		return strconv.Quote(word)
	}
	return word
}

func fromLineWord(word string) (string, error) {
	if !strings.HasPrefix(word, `"`) {
		return word, nil
	}
	return strconv.Unquote(word)
}
