package main

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/internal/visible"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/note"
)

type noteFlags struct {
	file     string
	job      string
	evidence string
	doctor   string
	format   string
	out      string
	json     bool
	std      stdio
}

const noteHelp = `Make the one-page note on a job, from its job file and the evidence of its replay:
what was agreed (operation key, what counts as a repeat, lease, policy for a stale
claim, retention), what the replay showed of it on the code before and after, what the
unique key enforces, what is not promised, how to go back, and a block to sign.

Nothing is called shown that the replay did not show. The page says at its top what was
not, and has then nothing to sign: when a case was not ok or could not be told, when
the evidence is a part of a replay or of another job file (policy, lease, longest run,
operation key or fingerprint have changed since), or when the settings check found
something that voids the guarantee, or could not tell. For that give it what
twiceproof doctor --json printed.

The evidence is looked for in evidence/<job>/ beside the job file, where a replay leaves
it: plan.json says which operation key and fingerprint were replayed.

The page is Markdown, or HTML in one file for one sheet of A4.

Exit status: 0 everything on the page was shown; 1 something was not; 2 usage or
environment, such as no evidence at all; 3 it could not be told; 130 interrupted.`

func noteCommand(std stdio) *cobra.Command {
	f := noteFlags{std: std}
	cmd := &cobra.Command{
		Use:   "note",
		Short: "Make the one-page note to sign, from the evidence of a replay",
		Long:  noteHelp,
		Example: `  twiceproof note
  twiceproof note --format html --out note.html
  twiceproof doctor --json > doctor.json; twiceproof note --doctor doctor.json`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := excludeEachOther(cmd.Flags(), "json", "format"); err != nil {
				return err
			}
			return f.run(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&f.file, "file", jobfile.DefaultName, "the job `file`")
	cmd.Flags().StringVar(&f.job, "job", "", "the `job` type, where the file has several")
	cmd.Flags().StringVar(&f.evidence, "evidence", "", "the `folder` of the replay's evidence (default: evidence/<job> beside the job file)")
	cmd.Flags().StringVar(&f.doctor, "doctor", "", "a `file` with what twiceproof doctor --json printed")
	cmd.Flags().StringVar(&f.format, "format", "markdown", "markdown or html")
	cmd.Flags().StringVar(&f.out, "out", "", "write the page into this `file`")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the result as JSON (schema "+note.Schema+")")
	return cmd
}

func (f noteFlags) run(ctx context.Context) error {
	if f.format != "markdown" && f.format != "html" {
		return &hinted.Error{What: fmt.Sprintf("--format: there is none called %q", f.format), Hint: "write markdown or html"}
	}
	if err := checkNew(f.out); err != nil { // an earlier note may be signed
		return err
	}
	in, err := f.input(ctx)
	if err != nil {
		return err
	}
	n := note.New(in)
	if err := f.show(n); err != nil {
		return err
	}
	return f.tell(n)
}

func (f noteFlags) show(n note.Note) error {
	if f.out == "" {
		return f.write(f.std.out, n)
	}
	var page bytes.Buffer
	if err := f.write(&page, n); err != nil {
		return err
	}
	if err := writeNew(f.out, page.Bytes()); err != nil {
		return err
	}
	fmt.Fprintf(f.std.err, "written: %s\n", visible.Line(f.out))
	return nil
}

func (f noteFlags) write(w io.Writer, n note.Note) error {
	page := n.WriteMarkdown
	if f.format == "html" {
		page = n.WriteHTML
	}
	return show(w, f.json, n.Result(), page)
}

// tell says on standard error what the page says at its top.
func (f noteFlags) tell(n note.Note) error {
	if n.Shown == note.Yes {
		return nil
	}
	for _, d := range n.Doubts {
		line(f.std.err, notShown[d.Shown]+d.Why, d.Mend)
	}
	if n.Shown == note.No {
		return &statusError{statusFound}
	}
	return &statusError{statusUnknown}
}

var notShown = map[note.Shown]string{note.No: "not shown: ", note.Unknown: "could not be told: "}
