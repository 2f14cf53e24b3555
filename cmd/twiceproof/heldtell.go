package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/twiceproof/twiceproof/internal/shell"
	"github.com/twiceproof/twiceproof/internal/visible"
)

func (r heldResult) text(w io.Writer) error {
	if r.Total == 0 {
		_, err := fmt.Fprintln(w, "nothing is held")
		return err
	}
	var b strings.Builder
	for _, h := range r.Held {
		h.text(&b)
	}
	if more := r.Total - len(r.Held); more > 0 {
		fmt.Fprintf(&b, "and %d more: --limit 0 shows all\n", more)
	}
	b.WriteString("Put your reason in the place of why; a command only shows what it would do until --apply is added.\n")
	if r.dsnGiven {
		b.WriteString("Add your --dsn to the commands, or set DATABASE_URL.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (h heldJSON) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s %s\n", visible.Line(h.Job), shell.Word(h.Key))
	fmt.Fprintf(b, "  held for %s, since %s: %s (%s)\n", roughly(h.rec.Held), h.HeldAt, visible.Line(h.Reason), reasonInWords(h.Reason))
	fmt.Fprintf(b, "  acts %d, vanished %d, look-ups %d, put back %d; policy %s; first claimed %s, last by %q\n",
		h.Acts, h.Vanished, h.LookUps, h.Requeues, orNone(visible.Line(h.Policy)), h.FirstClaimedAt, h.ClaimedBy)
	if h.LateFinishAt != "" {
		fmt.Fprintf(b, "  a worker that had lost its claim came back at %s: there may be two effects\n", h.LateFinishAt)
	}
	switch {
	case h.Message != nil:
		fmt.Fprintf(b, "  message: %q\n", *h.Message)
	case h.MessageStored:
		fmt.Fprintf(b, "  the message is stored, %d bytes\n", h.MessageBytes)
	default:
		fmt.Fprintln(b, "  no message is stored: to run it again, somebody has to send it")
	}
	fmt.Fprintf(b, "  %s\n", visible.Line(h.Question))
	for _, c := range []struct{ answer, decision string }{
		{"it did:                   ", "done"}, {"it did not, and shall:    ", "run_again"}, {"it did not, and shall not:", "drop"},
	} {
		if command := h.Resolve[c.decision]; command != "" {
			fmt.Fprintf(b, "    %s %s\n", c.answer, command)
		}
	}
	b.WriteString("\n")
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func (r heldResult) lines(w io.Writer) error {
	var b strings.Builder
	for _, h := range r.Held {
		job := lineWord(h.Job)
		if strings.Contains(job, "\t") {
			job = strconv.Quote(h.Job)
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\n", h.HeldAt, job, lineWord(h.Key))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
