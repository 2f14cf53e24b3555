package main

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"

	"github.com/twiceproof/twiceproof/fit"
)

// formAsker asks on a terminal, a question a page, with a way back.
type formAsker struct{ std stdio }

// All is one form, the path too: a second one would lose the first key, since the library
// may still be reading for the first.
func (a formAsker) ask(ctx context.Context, whereTo bool) (fit.Answers, string, error) {
	values := map[string]*string{}
	given := func() fit.Answers {
		answers := fit.Answers{}
		for id, value := range values {
			answers[id] = strings.TrimSpace(*value)
		}
		return answers
	}
	var pages []*huh.Group
	for _, q := range fit.Questions() {
		value := new(string)
		values[q.ID] = value
		page := huh.NewGroup(field(q, value, given))
		pages = append(pages, page.WithHideFunc(func() bool { return !q.IsRelevant(given()) }))
	}
	path := freeName()
	pages = append(pages, pathPage(&path).WithHideFunc(func() bool { return !whereTo || !fits(onlyRelevant(given())) }))
	if err := a.run(ctx, pages...); err != nil {
		return nil, "", err
	}
	answers := onlyRelevant(given())
	if !whereTo || !fits(answers) {
		path = ""
	}
	return answers, strings.TrimSpace(path), nil
}

// onlyRelevant leaves out what was answered before the person went back, and what a
// page that was never shown holds.
func onlyRelevant(given fit.Answers) fit.Answers {
	answers := fit.Answers{}
	for _, q := range fit.Relevant(given) {
		answers[q.ID] = given[q.ID]
	}
	return answers
}

func field(q fit.Question, value *string, given func() fit.Answers) huh.Field {
	if len(q.Options) == 0 {
		return huh.NewInput().Title(q.Text).Description(q.Why).Value(value).Validate(func(text string) error {
			return wrongAnswer(q, strings.TrimSpace(text), given())
		})
	}
	options := make([]huh.Option[string], len(q.Options))
	for i, o := range q.Options {
		options[i] = huh.NewOption(o.Text, o.Value)
	}
	return huh.NewSelect[string]().Title(q.Text).Description(q.Why).Options(options...).Value(value)
}

// wrongAnswer says what is wrong with an answer, in one line.
func wrongAnswer(q fit.Question, text string, given fit.Answers) error {
	what, hint := q.Check(text, given)
	if what == "" {
		return nil
	}
	return errors.New("this " + what + ": " + hint)
}

func pathPage(path *string) *huh.Group {
	return huh.NewGroup(huh.NewInput().Title(pathQuestion).Description(pathWhy).Value(path).Validate(func(text string) error {
		return checkNew(strings.TrimSpace(text))
	}))
}

const (
	pathQuestion = "The job fits. Where shall the job file to start from be written?"
	pathWhy      = "An empty line: nowhere. What is there is never overwritten."
)

// run leaves the signals to the command's own context: one place decides how it ends.
func (a formAsker) run(ctx context.Context, pages ...*huh.Group) error {
	err := huh.NewForm(pages...).
		WithProgramOptions(tea.WithoutSignalHandler()).WithInput(a.std.in).WithOutput(a.std.err).
		WithTheme(huh.ThemeFunc(huh.ThemeBase16)).RunWithContext(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, huh.ErrUserAborted):
		return errLeft
	}
	return err
}
