package fit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/twiceproof/twiceproof/jobfile"
)

const (
	// MaxBytes is far more than the answers to all questions have.
	MaxBytes = 32 << 10
	// The YAML reader's memory grows with the square of the nesting, and answers do
	// not nest.
	maxBrackets = 100
)

// ReadAnswers reads answers as YAML: one question's ID and its answer a line. Its error
// holds a *jobfile.Error for each thing that is wrong.
func ReadAnswers(file string, data []byte) (Answers, error) {
	r := &answerReader{file: file, answers: Answers{}, lines: map[string]int{}}
	r.read(bytes.TrimPrefix(data, []byte("\ufeff")))
	if len(r.errs) == 0 {
		r.check()
	}
	return r.answers, errors.Join(r.errs...)
}

type answerReader struct {
	file    string
	answers Answers
	lines   map[string]int
	errs    []error
}

func (r *answerReader) fail(line int, what, hint string) {
	r.errs = append(r.errs, &jobfile.Error{File: r.file, Line: line, What: what, Hint: hint})
}

const formHint = "twiceproof fit --print-answers prints a file to fill in"

func (r *answerReader) read(data []byte) {
	if what := unfitText(data); what != "" {
		r.fail(0, what, formHint)
		return
	}
	file, err := parse(data)
	switch {
	case err != nil:
		r.fail(0, "is not sound YAML: "+firstLine(err.Error()), "write question: answer on each line, and quote an answer that has : # { } [ ] in it; "+formHint)
		return
	case len(file.Docs) > 1:
		r.fail(0, "has a second document", "remove the line ---")
		return
	case len(file.Docs) == 0 || file.Docs[0].Body == nil:
		r.fail(0, "answers nothing", formHint)
		return
	}
	body, ok := file.Docs[0].Body.(ast.MapNode)
	if !ok {
		r.fail(0, "does not begin with a question", formHint)
		return
	}
	for entry := body.MapRange(); entry.Next(); {
		r.take(entry.Key(), entry.Value())
	}
}

// unfitText keeps out what no person wrote as answers.
func unfitText(data []byte) string {
	if len(data) > MaxBytes {
		return "is too large for answers"
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return "is no text"
	}
	nesting := bytes.Count(data, []byte("[")) + bytes.Count(data, []byte("{"))
	for line := range bytes.Lines(data) {
		start := line[:len(line)-len(bytes.TrimLeft(line, " -?:"))]
		nesting = max(nesting, bytes.Count(start, []byte("-"))+bytes.Count(start, []byte("?"))+bytes.Count(start, []byte(":")))
	}
	if nesting > maxBrackets {
		return "has more brackets than answers have"
	}
	return ""
}

// parse turns a panic of the YAML reader into an error: what a person typed must never
// end the program.
func parse(data []byte) (file *ast.File, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the text cannot be read")
		}
	}()
	return parser.ParseBytes(data, 0)
}

func (r *answerReader) take(key, value ast.Node) {
	id, line := key.GetToken().Value, key.GetToken().Position.Line
	if !slices.ContainsFunc(Questions(), func(q Question) bool { return q.ID == id }) {
		r.fail(line, fmt.Sprintf("there is no question %q", id), nearHint(id))
		return
	}
	text, ok := answerText(value)
	if !ok {
		r.fail(line, id+" must be a text", "write the answer behind the colon, in quotes if it has : # { } [ ] in it")
		return
	}
	r.answers[id], r.lines[id] = strings.TrimSpace(text), line
}

// answerText also takes a list, as the job file has its key.
func answerText(n ast.Node) (string, bool) {
	switch v := n.(type) {
	case *ast.NullNode:
		return "", true
	case *ast.StringNode:
		return v.Value, true
	case *ast.LiteralNode:
		return v.Value.Value, true
	case *ast.BoolNode: // a reader of older YAML would make one of yes and no
		if v.Value {
			return "yes", true
		}
		return "no", true
	case *ast.IntegerNode, *ast.FloatNode:
		return n.GetToken().Value, true
	case *ast.SequenceNode:
		texts := make([]string, len(v.Values))
		for i, item := range v.Values {
			text, ok := answerText(item)
			if _, nested := item.(*ast.SequenceNode); !ok || nested {
				return "", false
			}
			texts[i] = text
		}
		return strings.Join(texts, ", "), true
	}
	return "", false
}

// check tells everything that is wrong at once.
func (r *answerReader) check() {
	for _, q := range Relevant(r.answers) {
		line, written := r.lines[q.ID]
		if what, hint := q.Check(r.answers[q.ID], r.answers); what != "" && (written || !q.Optional) {
			r.fail(line, q.ID+" "+what, hint)
		}
	}
}

func nearHint(id string) string {
	best, distance := "", max(2, len(id)/3)+1
	ids := make([]string, 0, len(Questions()))
	for _, q := range Questions() {
		ids = append(ids, q.ID)
		if d := levenshtein.ComputeDistance(id, q.ID); d < distance {
			best, distance = q.ID, d
		}
	}
	if best != "" {
		return "did you mean " + best + "?"
	}
	return "the questions are " + strings.Join(ids, ", ")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
