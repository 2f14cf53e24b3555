package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/twiceproof/twiceproof/fit"
	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/internal/visible"
	"github.com/twiceproof/twiceproof/jobfile"
)

type fitFlags struct {
	answers      string
	printAnswers bool
	write        string
	plain        bool
	json         bool
	markdown     bool
	std          stdio
}

const fitHelp = `Ask whether a job can be made safe to run twice: the queue, what identifies one
business operation, where the effect happens and what is known of it afterwards. No
code, data or credential is needed, and no value is asked for, so the answers can be
sent to anybody.

The verdict is one of three: the job fits; it fits, with a policy to choose for the
case that nobody can tell; or it does not fit as things are, with every reason and
what to do about it.

On a terminal the questions are asked one by one, and only those that still matter:
arrows and enter to answer, shift+tab to go back, ctrl+c to leave. --plain asks in
plain lines instead, for a screen reader or a pipe; so does a set variable ACCESSIBLE,
or TERM=dumb. With --answers they are read from a file, of which --print-answers
prints an empty one.

A job that fits gets a job file to start from: --write names it, and on a terminal it
is asked for. What is there is never overwritten.

Exit status: 0 it fits, also with a policy to choose; 1 it does not; 2 usage or
environment, such as an answer that is missing; 130 interrupted.`

func fitCommand(std stdio) *cobra.Command {
	f := fitFlags{std: std}
	cmd := &cobra.Command{
		Use:   "fit",
		Short: "Ask whether a job can be made safe to run twice",
		Long:  fitHelp,
		Example: `  twiceproof fit
  twiceproof fit --print-answers > answers.yaml
  twiceproof fit --answers answers.yaml --write twiceproof.yaml
  twiceproof fit --answers answers.yaml --markdown > fit.md`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFitFlags(cmd.Flags()); err != nil {
				return err
			}
			return f.run(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&f.answers, "answers", "", "read the answers from this `file`; - is standard input")
	cmd.Flags().BoolVar(&f.printAnswers, "print-answers", false, "print an answers file with every question explained")
	cmd.Flags().StringVar(&f.write, "write", "", "write the job file to start from as this `file`")
	cmd.Flags().BoolVar(&f.plain, "plain", false, "ask in plain lines, for a screen reader or a pipe")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the verdict as JSON (schema "+fit.Schema+")")
	cmd.Flags().BoolVar(&f.markdown, "markdown", false, "print the verdict as Markdown")
	return cmd
}

func (f fitFlags) run(ctx context.Context) error {
	if f.printAnswers {
		_, err := io.WriteString(f.std.out, fit.Template())
		return err
	}
	if err := checkNew(f.write); err != nil { // not after all the questions
		return err
	}
	answers, path, err := f.take(ctx)
	if errors.Is(err, errLeft) {
		fmt.Fprintln(f.std.err, "error: interrupted; nothing was written")
		return &statusError{statusInterrupted}
	}
	if err != nil {
		return err
	}
	decision, err := fit.Decide(answers)
	if err != nil {
		return err
	}
	f.write = cmp.Or(f.write, path)
	return f.tell(decision)
}

// errLeft: whoever leaves the questions has interrupted the command.
var errLeft = errors.New("the questions were left")

// asker asks a person everything that matters, and, where that is asked for and the job
// fits, where the job file goes; an empty path is nowhere.
type asker interface {
	ask(ctx context.Context, whereTo bool) (answers fit.Answers, path string, err error)
}

// fits says whether there is a job file to write after these answers.
func fits(a fit.Answers) bool {
	d, err := fit.Decide(a)
	return err == nil && d.Verdict != fit.Stop
}

func (f fitFlags) asker() asker {
	switch {
	case f.answers != "":
		return nil
	case f.plain:
		return &plainAsker{in: f.std.in, out: f.std.err}
	case !isTerminal(f.std.in) || !isTerminal(f.std.err):
		return nil
	case os.Getenv("ACCESSIBLE") != "" || os.Getenv("TERM") == "dumb":
		return &plainAsker{in: f.std.in, out: f.std.err}
	}
	return formAsker{f.std}
}

func (f fitFlags) take(ctx context.Context) (a fit.Answers, path string, err error) {
	if ask := f.asker(); ask != nil {
		return ask.ask(ctx, f.write == "" && !f.json && !f.markdown)
	}
	if f.answers == "" {
		return nil, "", &hinted.Error{
			What: "there is no terminal to ask on",
			Hint: "write the answers into a file (twiceproof fit --print-answers) and name it with --answers; or say --plain",
		}
	}
	name, text, err := f.read()
	if err == nil {
		a, err = fit.ReadAnswers(name, text)
	}
	return a, "", err
}

func (f fitFlags) read() (name string, text []byte, err error) {
	if f.answers == "-" {
		text, err = io.ReadAll(io.LimitReader(f.std.in, fit.MaxBytes+1))
		return "standard input", text, err
	}
	info, err := os.Stat(f.answers)
	if err == nil && !info.Mode().IsRegular() { // a named pipe would be waited for without end
		return "", nil, &hinted.Error{What: f.answers + " is no regular file", Hint: "name a file, or - for standard input"}
	}
	file, err := os.Open(f.answers)
	if err != nil {
		return "", nil, &hinted.Error{What: "the answers cannot be read: " + err.Error(), Hint: "twiceproof fit --print-answers prints a file to fill in"}
	}
	defer file.Close()
	text, err = io.ReadAll(io.LimitReader(file, fit.MaxBytes+1))
	return f.answers, text, err
}

// tell writes the job file and shows the verdict. The file comes first: where it cannot
// be written, nothing has been said.
func (f fitFlags) tell(d fit.Decision) error {
	result := d.Result()
	if d.Verdict != fit.Stop && f.write != "" {
		if err := writeNew(f.write, d.WriteJob()); err != nil {
			return err
		}
		result.WrittenTo = f.write
	}
	write := d.WriteText
	if f.markdown {
		write = d.WriteMarkdown
	}
	if err := show(f.std.out, f.json, result, write); err != nil {
		return err
	}
	switch {
	case d.Verdict == fit.Stop:
		return f.stopped()
	case f.write != "":
		fmt.Fprintf(f.std.err, "written: %s\n", visible.Line(f.write))
	}
	return nil
}

func (f fitFlags) stopped() error {
	if f.write != "" {
		fmt.Fprintf(f.std.err, "%s was not written: the job does not fit\n", visible.Line(f.write))
	}
	return &statusError{statusFound}
}

// freeName is what the job file is called, unless there is one.
func freeName() string {
	if checkNew(jobfile.DefaultName) != nil {
		return ""
	}
	return jobfile.DefaultName
}
