package fit

import "slices"

// Answers are what was answered, by the question's ID. An empty text is no answer.
type Answers map[string]string

// Question is one thing to be told about a job.
type Question struct {
	ID string
	// Text is the question, and Why says what hangs on it.
	Text, Why string
	// Options are the answers there are; none: any text.
	Options []Option
	// Optional: without an answer the job file gets a placeholder.
	Optional bool
	// asked says whether the question matters after these answers; nil: always.
	asked func(Answers) bool
	// check says what is wrong with a text, and what to write; empty: nothing.
	check func(text string, a Answers) (what, hint string)
}

// Option is one of a question's answers.
type Option struct {
	Value, Text string
	// Stop says why the job does not fit after this answer, and Mend what to do about
	// it. Empty: it fits.
	Stop, Mend string
	// Ends: whatever else is answered changes nothing.
	Ends bool
	// Note is worth knowing although it fits.
	Note string
}

// Relevant are the questions that matter after these answers, in their order. What is
// answered later never makes an earlier one matter.
func Relevant(a Answers) []Question {
	var relevant []Question
	for _, q := range Questions() {
		if q.asked != nil && !q.asked(a) {
			continue
		}
		relevant = append(relevant, q)
		if q.Option(a[q.ID]).Ends {
			break
		}
	}
	return relevant
}

// IsRelevant tells whether the question matters after these answers.
func (q Question) IsRelevant(a Answers) bool {
	return slices.ContainsFunc(Relevant(a), func(r Question) bool { return r.ID == q.ID })
}

// Option is the one of this value, or an empty one.
func (q Question) Option(value string) Option {
	for _, o := range q.Options {
		if o.Value == value {
			return o
		}
	}
	return Option{}
}

// Missing are the questions without which there is no verdict.
func Missing(a Answers) []Question {
	return slices.DeleteFunc(Relevant(a), func(q Question) bool { return q.Optional || a[q.ID] != "" })
}

// Unused are the answers that were given although nothing hangs on them.
func Unused(a Answers) []string {
	var unused []string
	for _, q := range Questions() {
		if a[q.ID] != "" && !q.IsRelevant(a) {
			unused = append(unused, q.ID)
		}
	}
	return unused
}

// Check says what is wrong with an answer, and what to write; empty: nothing.
func (q Question) Check(text string, a Answers) (what, hint string) {
	switch {
	case text == "" && q.Optional:
		return "", ""
	case text == "":
		return "is not answered", q.valuesHint()
	case len(q.Options) > 0 && q.Option(text).Value == "":
		return "has no answer of that name", q.valuesHint()
	}
	if len(q.Options) == 0 {
		if what, hint := checkText(text); what != "" {
			return what, hint
		}
	}
	if q.check == nil {
		return "", ""
	}
	return q.check(text, a)
}

func (q Question) valuesHint() string {
	if len(q.Options) == 0 {
		return "answer in a few words"
	}
	values := make([]string, len(q.Options))
	for i, o := range q.Options {
		values[i] = o.Value
	}
	return "write " + inWords(values, "or")
}
