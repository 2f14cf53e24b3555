package change

import (
	"encoding/json"
	"regexp"
	"strconv"

	"github.com/twiceproof/twiceproof/job"
)

// sketchOf is the guarded job to work from: a new file, since nobody but its owner edits
// the job that is there.
func sketchOf(r Request) File {
	f := filling{Job: r.Job.Type, Message: className(r.Job), OwnRow: r.Job.Effect.Kind == job.OwnRow, LookUp: r.Job.Stale.Policy == job.Lookup, Dialect: r.Dialect}
	const what = "the guarded job, to take over into yours"
	switch r.Job.Queue {
	case job.Sidekiq:
		return File{"twiceproof/job.rb", fill("job.rb.tmpl", f), what}
	case job.Celery:
		f.Message = lastWord.FindString(r.Job.Message)
		return File{"twiceproof/job.py", fill("job.py.tmpl", f), what}
	}
	return File{"twiceproof/job.go.txt", fill("job.go.tmpl", f), what}
}

var lastWord = regexp.MustCompile(`\w*$`)

func className(j job.Job) string {
	if j.Message != "" {
		return j.Message
	}
	return "Job"
}

// replayFile has the message that the job file's paths look into, and a run command to
// fill in.
func replayFile(r Request) File {
	f := filling{Job: r.Job.Type, Dialect: r.Dialect, OwnRow: r.Job.Effect.Kind == job.OwnRow, LookUp: r.Job.Stale.Policy == job.Lookup, Body: body(r.Job)}
	f.Message = map[job.Queue]string{
		job.Sidekiq: "bundle exec sidekiq -e test -c 1", job.Celery: "celery -A app worker -c 1 --without-gossip --without-mingle -E", job.SQS: "./worker",
	}[r.Job.Queue]
	return File{"twiceproof.replay.yaml", fill("replay.yaml.tmpl", f), "how the old and the new code are run for the proof; fill in the commands"}
}

// body is a message in which every path of the operation has a value, the first one of the
// key its operation's own.
func body(j job.Job) string {
	var root any = map[string]any{}
	for i, p := range append(append([]job.Path(nil), j.Operation.Key...), j.Operation.Fingerprint...) {
		value := any("any")
		if i == 0 {
			value = "{{key}}"
		}
		root = with(root, pathStep.FindAllStringSubmatch(p.String(), -1), value)
	}
	if inner := root.(map[string]any)["body"]; inner != nil && j.Queue == job.SQS { //nolint:forcetypeassert // it is one
		root = inner
	}
	text, _ := json.Marshal(root) // plain values
	return string(text)
}

var pathStep = regexp.MustCompile(`\[(\d+)\]|([^.\[\]]+)`)

// with is the value with something put at a path, such as order.id or [0].id.
func with(at any, steps [][]string, value any) any {
	if len(steps) == 0 {
		return value
	}
	if n, err := strconv.Atoi(steps[0][1]); err == nil {
		list, _ := at.([]any)
		for len(list) <= n {
			list = append(list, "any")
		}
		list[n] = with(list[n], steps[1:], value)
		return list
	}
	object, ok := at.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	object[steps[0][2]] = with(object[steps[0][2]], steps[1:], value)
	return object
}
