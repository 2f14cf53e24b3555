package main

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/twiceproof/twiceproof/admin"
	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/job"
)

const heldSchema = "twiceproof.held/1"

type heldFlags struct {
	recordFlags
	limit       int
	lines       bool
	showMessage bool
}

const heldHelp = `List the held operations, the one that has waited longest first: why each is held,
what is known of it, the question to answer, and the commands that write the answer
into its record, to be pasted into a shell (bash or zsh). Nothing is changed.

Operation keys are shown, since a person must decide; a message only with
--show-message. Both may hold personal data.

--lines prints one line for each, of the time of its hold, its job and its key, with
tabs between them. twiceproof resolve --stdin takes such lines, so that the same
decision can be written for many: choose among them with grep. A key that holds a line
break or a control character is in quotes there, such as "a\nb".

The whole table is read, as by twiceproof status.

Exit status: 0 none is held; 1 there are held ones; 2 usage or environment;
130 interrupted.`

func heldCommand(std stdio) *cobra.Command {
	f := heldFlags{recordFlags: recordFlags{std: std}}
	cmd := &cobra.Command{
		Use:   "held",
		Short: "List the operations that wait for a person, and what to ask",
		Long:  heldHelp,
		Example: `  twiceproof held
  twiceproof held --job charge.create --show-message
  twiceproof held --lines | grep tenant-7/ | twiceproof resolve --stdin --done --why "charged by hand, ticket 41"`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			fs := cmd.Flags()
			if err := cmp.Or(aloneWith(fs, "lines", "has every operation in one line", "file", "table", "job", "dsn"), f.check()); err != nil {
				return err
			}
			return f.run(cmd.Context())
		},
	}
	f.define(cmd, heldSchema)
	cmd.Flags().IntVar(&f.limit, "limit", 50, "show at most so `many`; 0: all")
	cmd.Flags().BoolVar(&f.lines, "lines", false, "print lines for resolve --stdin")
	cmd.Flags().BoolVar(&f.showMessage, "show-message", false, "show the stored messages, which are your users' data")
	return cmd
}

func (f heldFlags) check() error {
	if f.limit < 0 {
		return &hinted.Error{What: fmt.Sprintf("--limit %d: there is no such number of operations", f.limit), Hint: "0 shows all"}
	}
	return nil
}

func (f heldFlags) run(ctx context.Context) error {
	r, err := f.read(ctx)
	if err != nil {
		return err
	}
	print := r.text
	if f.lines {
		print = r.lines
	}
	if err := show(f.std.out, f.json, r, print); err != nil {
		return err
	}
	if r.Total > 0 {
		return &statusError{statusFound}
	}
	return nil
}

func (f heldFlags) read(ctx context.Context) (heldResult, error) {
	t, err := f.open(ctx)
	if err != nil {
		return heldResult{}, err
	}
	defer t.db.Close()
	looked, end := walkProgress(f.std.err)
	all, err := t.Held(ctx, admin.Walk{JobType: f.job, Looked: looked})
	end()
	if err != nil {
		return heldResult{}, unread(ctx, err)
	}
	r := heldResult{Schema: heldSchema, Table: t.name, Total: len(all), Held: []heldJSON{}, dsnGiven: f.dsn != ""}
	if f.limit > 0 && len(all) > f.limit && !f.lines {
		all = all[:f.limit]
	}
	for _, rec := range all {
		h := f.heldOf(rec, t.job(rec.JobType))
		if f.showMessage {
			if err := h.addMessage(ctx, t); err != nil {
				return heldResult{}, unread(ctx, err)
			}
		}
		r.Held = append(r.Held, h)
	}
	return r, nil
}

// heldResult is described in docs/json.md.
type heldResult struct {
	Schema string     `json:"schema"`
	Table  string     `json:"table"`
	Total  int        `json:"total"`
	Held   []heldJSON `json:"held"`

	dsnGiven bool
}

type heldJSON struct {
	Job            string            `json:"job"`
	Key            string            `json:"key"`
	Reason         string            `json:"reason"`
	HeldAt         string            `json:"held_at"`
	HeldMS         int64             `json:"held_ms"`
	Policy         string            `json:"policy,omitempty"`
	Acts           int               `json:"acts"`
	Vanished       int               `json:"vanished"`
	LookUps        int               `json:"lookups"`
	Requeues       int               `json:"requeues"`
	ClaimedBy      string            `json:"claimed_by,omitempty"`
	FirstClaimedAt string            `json:"first_claimed_at"`
	Reference      string            `json:"reference,omitempty"`
	LateFinishAt   string            `json:"late_finish_at,omitempty"`
	MessageStored  bool              `json:"message_stored"`
	MessageBytes   int64             `json:"message_bytes"`
	Message        *string           `json:"message,omitempty"`
	Question       string            `json:"question"`
	Resolve        map[string]string `json:"resolve"`

	rec admin.Record
}

func (f heldFlags) heldOf(rec admin.Record, j *job.Job) heldJSON {
	return heldJSON{
		Job: rec.JobType, Key: rec.Key, Reason: rec.HoldReason, HeldAt: at(rec.HeldAt), HeldMS: rec.Held.Milliseconds(), Policy: rec.Policy,
		Acts: rec.Acts, Vanished: rec.Vanished, LookUps: rec.LookUps, Requeues: rec.Requeues, ClaimedBy: rec.ClaimedBy,
		FirstClaimedAt: at(rec.FirstClaimedAt), Reference: rec.Reference, LateFinishAt: at(rec.LateFinishAt),
		MessageStored: rec.MessageStored, MessageBytes: rec.MessageBytes, Question: question(rec, j),
		Resolve: f.commands(rec, j), rec: rec,
	}
}

// addMessage: a message that is no text is shown as Go writes its bytes.
func (h *heldJSON) addMessage(ctx context.Context, t *recordTable) error {
	message, _, err := t.Message(ctx, h.rec)
	if err != nil || message == nil {
		return err
	}
	text := string(message)
	if !utf8.Valid(message) {
		text = strconv.Quote(text)
	}
	h.Message = &text
	return nil
}
