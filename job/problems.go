package job

import "strings"

// Problem is one thing that is wrong with a job, by the name of its field in
// the job file.
type Problem struct {
	Field string // such as stale_claim.settle or operation.key[1]; empty for the job itself
	What  string
	Hint  string
}

func (p Problem) Error() string {
	if p.Field == "" {
		return p.What
	}
	return p.Field + ": " + p.What
}

// Problems is everything that is wrong with a job.
type Problems []Problem

func (p Problems) Error() string {
	texts := make([]string, len(p))
	for i, problem := range p {
		texts[i] = problem.Error()
	}
	return strings.Join(texts, "\n")
}

// Unwrap gives the problems to errors.As.
func (p Problems) Unwrap() []error {
	errs := make([]error, len(p))
	for i, problem := range p {
		errs[i] = problem
	}
	return errs
}

func (p *Problems) add(field, what, hint string) {
	*p = append(*p, Problem{Field: field, What: what, Hint: hint})
}

// check adds the problem unless the condition holds.
func (p *Problems) check(good bool, field, what, hint string) {
	if !good {
		p.add(field, what, hint)
	}
}
