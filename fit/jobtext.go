package fit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

// WriteJob gives the job file to start from. What nobody has answered is marked with
// "fill in".
func (d Decision) WriteJob() []byte {
	j := d.Job
	w := &jobWriter{open: d.ToFillIn}
	w.line(0, "# Written by twiceproof fit from your answers. Read it through; fill in what is marked so.")
	w.line(0, "version: 1")
	w.line(0, "table: %s", jobfile.DefaultTable)
	w.line(0, "jobs:")
	w.remark(2, "the job's name", "a name of its own, such as charge.create; it is written into every record, so do not change it later")
	w.line(2, "%s:", name(j.Type))
	w.line(4, "queue: %s", j.Queue)
	w.text(4, "message", j.Message, "message", "the task name, worker class or queue, for people")
	w.operation(j)
	w.line(4, "effect:")
	w.line(6, "kind: %s", j.Effect.Kind)
	w.text(6, "what", j.Effect.What, "effect.what", "the side effect in plain words")
	w.lease(j)
	w.stale(d)
	_, why := Retention(j.Queue)
	w.comment(4, "How long a completed record is kept, for you to confirm. "+why)
	w.line(4, "retention: %s", jobfile.FormatDuration(j.Retention))
	return w.b.Bytes()
}

type jobWriter struct {
	b    bytes.Buffer
	open []string
}

func (w *jobWriter) line(indent int, format string, args ...any) {
	fmt.Fprintf(&w.b, strings.Repeat(" ", indent)+format+"\n", args...)
}

// comment breaks a long one.
func (w *jobWriter) comment(indent int, text string) {
	const width = 110
	at := ""
	for word := range strings.FieldsSeq(text) {
		if at != "" && len(at)+len(word) > width {
			w.line(indent, "# %s", at)
			at = ""
		}
		at = strings.TrimSpace(at + " " + word)
	}
	w.line(indent, "# %s", at)
}

func (w *jobWriter) isOpen(field string) bool {
	for _, open := range w.open {
		if open == field {
			return true
		}
	}
	return false
}

// remark asks for what is open.
func (w *jobWriter) remark(indent int, field, what string) {
	if w.isOpen(field) {
		w.comment(indent, "fill in: "+what)
	}
}

// text writes a field of plain words, or a comment in its place.
func (w *jobWriter) text(indent int, field, value, place, what string) {
	if value == "" {
		w.remark(indent, place, what)
		w.line(indent, "# %s: …", field)
		return
	}
	w.line(indent, "%s: %s", field, quote(value))
}

func (w *jobWriter) operation(j job.Job) {
	w.line(4, "operation:")
	w.remark(6, "operation.key", "where in the message the operation's identifier stands; never the queue's message id")
	w.line(6, "key: [%s]", quotedPaths(j.Operation.Key))
	w.text(6, "repeat", j.Operation.Repeat, "operation.repeat", "what counts as a repeat, in plain words")
	if len(j.Operation.Fingerprint) == 0 {
		w.comment(6, "fingerprint: no field is named that must not differ between two deliveries of one operation, such as its amount")
		return
	}
	w.line(6, "fingerprint: [%s]", quotedPaths(j.Operation.Fingerprint))
}

func quotedPaths(paths []job.Path) string {
	texts := make([]string, len(paths))
	for i, p := range paths {
		texts[i] = quote(p.String())
	}
	return strings.Join(texts, ", ")
}

func (w *jobWriter) lease(j job.Job) {
	w.remark(4, "longest_run", "the longest normal run; the lease is made of it")
	w.line(4, "longest_run: %s", jobfile.FormatDuration(j.LongestRun))
	w.comment(4, "How long a claim is good for. "+WhyLease(j.LongestRun, j.Lease))
	w.line(4, "lease: %s", jobfile.FormatDuration(j.Lease))
}

func (w *jobWriter) stale(d Decision) {
	s := d.Job.Stale
	switch s.Policy {
	case "":
		w.comment(4, "No stale_claim: the row, the claim and the completion are one transaction, and a crash leaves none of them.")
		return
	case job.Lookup:
		w.remark(4, "stale_claim.settle", "settle, how long the service may need until a look-up shows a call")
		w.line(4, "stale_claim: {policy: lookup, settle: %s}", jobfile.FormatDuration(s.Settle))
		return
	case job.Resend:
		w.remark(4, "stale_claim.reference_window", "reference_window, for how long the service surely remembers a reference; its documentation says so")
		w.line(4, "stale_claim: {policy: resend, reference_window: %s}", jobfile.FormatDuration(s.ReferenceWindow))
		return
	}
	if w.isOpen("stale_claim.policy") {
		w.comment(4, "fill in: the policy is yours to choose; hold stands here until you have, since it makes nothing worse.")
		for _, c := range d.Choices {
			w.comment(4, string(c.Policy)+": "+c.What)
		}
	}
	w.line(4, "stale_claim: {policy: %s}", s.Policy)
}

var plainName = regexp.MustCompile(`^[a-z]+([._-][a-z][a-z0-9]*)+$`)

// name leaves out the quotes where no reader of YAML takes the name for something else.
func name(text string) string {
	if plainName.MatchString(text) {
		return text
	}
	return quote(text)
}

// quote writes a text as YAML reads it whatever is in it: JSON's strings are YAML's.
func quote(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string always encodes
	return strings.TrimSpace(b.String())
}
