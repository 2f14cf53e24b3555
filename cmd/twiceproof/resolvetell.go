package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/twiceproof/twiceproof/admin"
	"github.com/twiceproof/twiceproof/internal/shell"
	"github.com/twiceproof/twiceproof/internal/visible"
)

// resolveResult is described in docs/json.md.
type resolveResult struct {
	Schema     string         `json:"schema"`
	Table      string         `json:"table"`
	Decision   string         `json:"decision"`
	Applied    bool           `json:"applied"`
	Resolved   int            `json:"resolved"`
	Refused    int            `json:"refused"`
	Failed     int            `json:"failed"`
	Operations []resolvedJSON `json:"operations"`

	stopped error
	refused error // by the database
}

type resolvedJSON struct {
	Job     string       `json:"job"`
	Key     string       `json:"key"`
	Outcome string       `json:"outcome"`
	Error   string       `json:"error,omitempty"`
	Message string       `json:"message,omitempty"`
	HeldAt  string       `json:"held_at,omitempty"`
	Before  *recordShown `json:"before,omitempty"`
	After   *recordShown `json:"after,omitempty"`
	Now     *recordShown `json:"now,omitempty"` // of a refused one
}

// recordShown is what a decision changes of a record.
type recordShown struct {
	State      string `json:"state"`
	HoldReason string `json:"hold_reason,omitempty"`
	Completion string `json:"completion,omitempty"`
	Acts       int    `json:"acts"`
	ResolvedBy string `json:"resolved_by,omitempty"`
	Resolution string `json:"resolution,omitempty"`
}

// The outcomes of a decision.
const (
	outcomeShown    = "shown"
	outcomeResolved = "resolved"
	outcomeRefused  = "refused" // it stays as it is
	outcomeFailed   = "failed"  // it stays as it is, or nobody can tell
)

func shown(rec admin.Record) *recordShown {
	return &recordShown{rec.State, rec.HoldReason, rec.Completion, rec.Acts, rec.ResolvedBy, rec.Resolution}
}

func (r *resolveResult) add(d admin.Resolution, res admin.Resolved, err error) {
	o := resolvedJSON{Job: d.JobType, Key: d.Key}
	var moved *admin.MovedError
	switch {
	case errors.As(err, &moved):
		o.Outcome, o.Error = outcomeRefused, err.Error()
		if moved.There {
			o.Now = shown(moved.Now)
		}
		r.Refused++
	case errors.Is(err, admin.ErrOwnRow):
		o.Outcome, o.Error = outcomeRefused, err.Error()
		r.Refused++
	case err != nil:
		o.Outcome, o.Error = outcomeFailed, err.Error()
		r.Failed++
		r.refused = refusedBy(err, r.Table, "SELECT, UPDATE")
	default:
		o.decided(d, res)
		if res.Applied {
			r.Resolved++
		}
		if res.PutBackErr != nil {
			r.Failed++
		}
	}
	r.Operations = append(r.Operations, o)
}

// over: the database would refuse the others, too.
func (r *resolveResult) over() bool { return r.refused != nil }

func (o *resolvedJSON) decided(d admin.Resolution, res admin.Resolved) {
	o.Before, o.After, o.HeldAt = shown(res.Before), shown(res.After), at(res.Before.HeldAt)
	o.Outcome = outcomeShown
	if res.Applied {
		o.Outcome = outcomeResolved
	}
	if d.Do == admin.RunAgain {
		o.Message = messageTold(res)
	}
	if res.PutBackErr != nil {
		o.Error = "put back: " + res.PutBackErr.Error()
	}
}

// The words about the message of an operation that is run again.
const (
	messagePutBack  = "put_back"
	messageForSweep = "left_for_sweep"
	messageNone     = "none"
	messageUnknown  = "unknown"
)

func messageTold(res admin.Resolved) string {
	switch {
	case res.PutBackErr != nil:
		return messageUnknown
	case res.NoMessage:
		return messageNone
	case res.PutBack:
		return messagePutBack
	}
	return messageForSweep
}

var messageWords = map[string]string{
	messagePutBack:  "put back on the queue",
	messageForSweep: "left for the sweep, since no queue is named",
	messageNone:     "none of its own is stored: send it yourself, or the sweep holds it again",
	messageUnknown:  "perhaps not on the queue; the sweep puts it back after a lease",
}

func (r resolveResult) text(w io.Writer) error {
	var b strings.Builder
	for _, o := range r.Operations {
		o.text(&b)
	}
	if len(r.Operations) > 1 || r.stopped != nil {
		fmt.Fprintf(&b, "%d resolved, %d refused, %d failed, of %d\n", r.Resolved, r.Refused, r.Failed, len(r.Operations))
	}
	if !r.Applied {
		b.WriteString("nothing was changed")
		if len(r.Operations) == 1 && r.Operations[0].HeldAt != "" {
			fmt.Fprintf(&b, "; to do it, add --apply --held-at %s", r.Operations[0].HeldAt)
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (o resolvedJSON) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s %s: %s\n", visible.Line(o.Job), shell.Word(o.Key), o.Outcome)
	if o.After != nil {
		fmt.Fprintf(b, "  held since %s: %s\n", o.HeldAt, visible.Line(o.Before.HoldReason))
		fmt.Fprintf(b, "  before: %s\n  after:  %s\n", o.Before, o.After)
		fmt.Fprintf(b, "  kept: by %q: %q\n", o.After.ResolvedBy, o.After.Resolution)
	}
	if o.Message != "" && o.After.Acts > 0 {
		b.WriteString("  the next delivery looks it up before it acts\n")
	}
	if o.Message != "" {
		fmt.Fprintf(b, "  its message: %s\n", messageWords[o.Message])
	}
	if o.Error != "" {
		fmt.Fprintf(b, "  %s\n", visible.Line(o.Error))
	}
}

func (s recordShown) String() string {
	text := visible.Line(s.State)
	if s.Completion != "" {
		text += "/" + visible.Line(s.Completion)
	}
	return fmt.Sprintf("%s, acts %d", text, s.Acts)
}

func (r resolveResult) status() error {
	switch {
	case r.stopped != nil:
		return r.stopped
	case r.refused != nil && r.Failed == 1: // else nobody can tell about another one
		return r.refused
	case r.Failed > 0:
		return &statusError{statusUnknown}
	case r.Refused > 0:
		return &statusError{statusFound}
	}
	return nil
}
