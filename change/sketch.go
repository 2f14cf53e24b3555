package change

import (
	"regexp"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/job"
)

// sketchOf is the guarded job to work from: a new file, since nobody but its owner edits
// the job that is there.
func sketchOf(r Request) (File, error) {
	f := filling{Job: r.Job.Type, Message: r.Job.Message, Rails: r.Framework == Rails, OwnRow: r.Job.Effect.Kind == job.OwnRow, LookUp: r.Job.Stale.Policy == job.Lookup, Dialect: r.Dialect}
	const what = "the guarded job, to take over into yours"
	on := string(languageOf(r))
	name, template := map[string]string{"go": "job.go.txt", "python": "job.py", "ruby": "job.rb"}[on], string(r.Job.Queue)+"."+on+".tmpl"
	switch r.Job.Queue {
	case job.Sidekiq:
		if !isRubyClass(f.Message) {
			return File{}, noName(r, "a Ruby class", "ChargeJob")
		}
	case job.Celery:
		if f.Message == "" {
			return File{}, noName(r, "a task", "billing.charge")
		}
		f.Function = pythonFunction(f.Message)
		if f.OwnRow {
			f.Transaction = transactions[r.Framework]
		}
	}
	return File{r.place(name), fill(template, f), what}, nil
}

// transactions are those of the application's own connection, where its framework has one.
var transactions = map[Framework]transaction{
	Django:  {"from twiceproof.django import Atomic", "Atomic(guard)"},
	Alembic: {"from twiceproof.sqlalchemy import SessionTransaction", "SessionTransaction(guard, Session)"},
}

type transaction struct{ Import, Begin string }

func noName(r Request, what, such string) error {
	if r.Job.Message == "" {
		return problem("the job file does not say which message carries "+quoted(r.Job.Type), "write the name of "+what+" under it, such as message: "+such)
	}
	return problem("message of the job file is no name of "+what+": "+quoted(r.Job.Message), "write one as your code has it, such as message: "+such)
}

// BEGIN and END look like classes, and are none.
var rubyClass = regexp.MustCompile(`^(::)?\p{Lu}[\pL\p{Mn}\p{Nd}_]*(::\p{Lu}[\pL\p{Mn}\p{Nd}_]*)*$`)

func isRubyClass(name string) bool {
	words := strings.Split(name, "::")
	return rubyClass.MatchString(name) && !slices.Contains(words, "BEGIN") && !slices.Contains(words, "END")
}

var (
	pythonName  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	pythonWords = strings.Fields(`False None True and as assert async await break class continue def del elif else except finally for from global if
		import in is lambda nonlocal not or pass raise return try while with yield`)
)

// pythonFunction is the last word of the task's name where that can be one: a task may
// have any name.
func pythonFunction(task string) string {
	name := task[strings.LastIndex(task, ".")+1:]
	if !pythonName.MatchString(name) || slices.Contains(pythonWords, name) {
		return "task"
	}
	return name
}
