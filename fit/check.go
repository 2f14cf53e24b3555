package fit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/twiceproof/twiceproof/internal/visible"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

const (
	maxText     = 300 // a sentence or two
	maxTypeText = 64
	// A job that runs for longer is none that a queue redelivers.
	maxRun = 7 * 24 * time.Hour
)

// blank takes the blanks of other languages for one, as the narrow one before a French colon.
func blank(c rune) rune {
	if unicode.Is(unicode.Zs, c) {
		return ' '
	}
	return c
}

func checkText(text string) (what, hint string) {
	plain := strings.Map(blank, text)
	switch {
	case !utf8.ValidString(text) || visible.Line(plain) != plain:
		return "has a character that cannot be shown", "write it in one line of plain text"
	case utf8.RuneCountInString(text) > maxText:
		return fmt.Sprintf("is longer than %d characters", maxText), "say it in a sentence or two"
	}
	return "", ""
}

func checkName(text string, _ Answers) (what, hint string) {
	if len(text) > maxTypeText {
		return fmt.Sprintf("is longer than %d bytes", maxTypeText), "name the job by what it does, such as charge.create"
	}
	return "", ""
}

func checkRun(text string, _ Answers) (what, hint string) {
	d, what, hint := duration(text)
	switch {
	case what != "":
		return what, hint
	case d <= 0 || d > maxRun:
		return "is no run time of a job", "write how long it runs at most when nothing is wrong, such as 40s"
	}
	return "", ""
}

func checkDuration(text string, _ Answers) (what, hint string) {
	d, what, hint := duration(text)
	if what == "" && d <= 0 {
		return "is no time at all", "write a duration such as 30s or 24h, or leave it out"
	}
	return what, hint
}

func duration(text string) (d time.Duration, what, hint string) {
	d, err := jobfile.ParseDuration(text)
	if wrong := (*jobfile.DurationError)(nil); errors.As(err, &wrong) {
		return 0, wrong.What, wrong.Hint
	}
	return d, "", ""
}

// roots of a message's paths, and paths to show, for each queue.
var (
	roots = map[job.Queue][]string{
		job.SQS: {"body", "attributes"}, job.Celery: {"kwargs", "args", "headers"}, job.Sidekiq: {"args", "job"},
	}
	examplePath    = map[job.Queue]string{job.SQS: "body.order.id", job.Celery: "kwargs.order_id", job.Sidekiq: "args[0]"}
	exampleContent = map[job.Queue]string{job.SQS: "body.amount_cents", job.Celery: "kwargs.amount_cents", job.Sidekiq: "args[1]"}
)

func checkKey(text string, a Answers) (what, hint string) {
	return checkPaths(text, job.Queue(a["queue"]), examplePath)
}

// checkFingerprint: what is in the key never differs under one key.
func checkFingerprint(text string, a Answers) (what, hint string) {
	queue := job.Queue(a["queue"])
	if what, hint = checkPaths(text, queue, exampleContent); what != "" {
		return what, hint
	}
	for _, path := range keyPaths(text) {
		if slices.ContainsFunc(keyPaths(a["key"]), path.Equal) {
			return "names " + path.String() + ", which is in the key", "name what else must not differ, such as " + exampleContent[queue] + ", or leave it out"
		}
	}
	return "", ""
}

// checkPaths also keeps out what is no name of a field at all, such as an order number.
func checkPaths(text string, queue job.Queue, example map[job.Queue]string) (what, hint string) {
	hint = "write the place in the message, such as " + example[queue] + "; several with commas"
	var seen []job.Path
	for part := range strings.SplitSeq(text, ",") {
		path, err := job.ParsePath(strings.TrimSpace(part))
		switch {
		case err != nil:
			return "is no place in a message", hint
		case !slices.Contains(roots[queue], path.Root()):
			return "starts with " + path.Root() + ", which a message of " + string(queue) + " does not have", hint
		case slices.ContainsFunc(seen, path.Equal):
			return "names a place twice", hint
		}
		seen = append(seen, path)
	}
	return "", ""
}

// keyPaths are the paths of an answer that was checked.
func keyPaths(text string) []job.Path {
	var paths []job.Path
	for part := range strings.SplitSeq(text, ",") {
		if path, err := job.ParsePath(strings.TrimSpace(part)); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// inWords lists them: a, b or c.
func inWords(texts []string, last string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	return strings.Join(texts[:len(texts)-1], ", ") + " " + last + " " + texts[len(texts)-1]
}
