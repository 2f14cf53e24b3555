package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/twiceproof/twiceproof/fit"
	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/internal/visible"
	"github.com/twiceproof/twiceproof/jobfile"
)

// plainAsker asks in lines that are never written over, for a screen reader or a pipe.
// The form library's own mode for it asks what no longer matters, leaves out what hangs
// on an answer, and takes an end of the input for the first option.
type plainAsker struct {
	in    io.Reader
	out   io.Writer
	lines chan string // closed at the end of the input
}

func (p *plainAsker) ask(ctx context.Context, whereTo bool) (answers fit.Answers, path string, err error) {
	answers = fit.Answers{}
	for _, q := range fit.Questions() {
		if !q.IsRelevant(answers) {
			continue
		}
		if answers[q.ID], err = p.question(ctx, q, answers); err != nil {
			return nil, "", err
		}
	}
	if whereTo && fits(answers) {
		path, err = p.path(ctx, freeName())
	}
	return answers, path, err
}

func (p *plainAsker) question(ctx context.Context, q fit.Question, answers fit.Answers) (string, error) {
	fmt.Fprintf(p.out, "%s\n%s\n", q.Text, q.Why)
	for i, o := range q.Options {
		fmt.Fprintf(p.out, "  %d. %s\n", i+1, o.Text)
	}
	for {
		text, err := p.line(ctx, prompt(q))
		if errors.Is(err, io.EOF) {
			return "", &hinted.Error{What: "the answers ended before the last question", Hint: "answer all of them, or name a file with --answers"}
		}
		if err != nil {
			return "", err
		}
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(q.Options) {
			text = q.Options[n-1].Value
		}
		wrong := wrongAnswer(q, text, answers)
		if wrong == nil {
			fmt.Fprintln(p.out)
			return text, nil
		}
		fmt.Fprintln(p.out, wrong)
	}
}

func prompt(q fit.Question) string {
	switch {
	case len(q.Options) > 0:
		return fmt.Sprintf("1 to %d: ", len(q.Options))
	case q.Optional:
		return "answer, or an empty line: "
	}
	return "answer: "
}

func (p *plainAsker) path(ctx context.Context, proposed string) (string, error) {
	fmt.Fprintf(p.out, "%s\n%s\n", pathQuestion, pathWhy)
	for {
		path, err := p.line(ctx, "file, such as "+cmp.Or(proposed, "job/"+jobfile.DefaultName)+": ")
		if errors.Is(err, io.EOF) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		wrong := checkNew(path)
		if wrong == nil {
			return path, nil
		}
		fmt.Fprintln(p.out, visible.Line(wrong.Error()))
	}
}

// line waits for a line, or for the command's end: a read of a terminal cannot be
// ended otherwise.
func (p *plainAsker) line(ctx context.Context, prompt string) (string, error) {
	if p.lines == nil {
		p.lines = make(chan string)
		go p.read(ctx)
	}
	fmt.Fprint(p.out, prompt)
	select {
	case text, ok := <-p.lines:
		if !ok {
			fmt.Fprintln(p.out)
			return "", io.EOF
		}
		return strings.TrimSpace(text), nil
	case <-ctx.Done():
		fmt.Fprintln(p.out)
		return "", ctx.Err()
	}
}

func (p *plainAsker) read(ctx context.Context) {
	defer close(p.lines)
	lines := bufio.NewScanner(p.in)
	for lines.Scan() {
		select {
		case p.lines <- lines.Text():
		case <-ctx.Done():
			return
		}
	}
}
