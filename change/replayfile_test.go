package change

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

func paths(texts ...string) (all []job.Path) {
	for _, text := range texts {
		all = append(all, job.MustParsePath(text))
	}
	return all
}

// The message has each field that the job file looks into, and the operation's own value in one.
func TestMessageOf(t *testing.T) {
	for _, c := range []struct {
		queue            job.Queue
		key, fingerprint []job.Path
		body, attribute  string
	}{
		{job.SQS, paths("body.order.id", "body.tenant"), paths("body.lines[1].sku"), `{"lines":["FILL_IN",{"sku":"FILL_IN"}],"order":{"id":"{{key}}"},"tenant":"FILL_IN"}`, ""},
		{job.SQS, paths(`body["order \"id\""]`), nil, `{"order \"id\"":"{{key}}"}`, ""},
		{job.SQS, paths("body"), nil, `{{key}}`, ""},
		{job.SQS, paths("body[2]"), nil, `["FILL_IN","FILL_IN","{{key}}"]`, ""},
		{job.SQS, paths("attributes.tenant"), nil, "FILL_IN", "{{key}}"},
		{job.SQS, paths("body.id", "attributes.tenant"), nil, `{"id":"{{key}}"}`, "FILL_IN"},
		{job.Celery, paths("kwargs.order_id"), paths("args[0]"), `{"args":["FILL_IN"],"kwargs":{"order_id":"{{key}}"}}`, ""},
		{job.Sidekiq, paths("args[1].a.b"), paths("args[0]"), `{"args":["FILL_IN",{"a":{"b":"{{key}}"}}]}`, ""},
		{job.Sidekiq, paths("args[0]", "job.tenant"), paths("job.cattr.user"), `{"args":["{{key}}"],"cattr":{"user":"FILL_IN"},"tenant":"FILL_IN"}`, ""},
	} {
		body, attributes, err := messageOf(job.Job{Queue: c.queue, Operation: job.Operation{Key: c.key, Fingerprint: c.fingerprint}})
		if err != nil || body != c.body || attributes["tenant"] != c.attribute {
			t.Errorf("%v: %s %v %v, want %s", c.key, body, attributes, err, c.body)
		}
	}
	for _, key := range [][]job.Path{paths("body.a", "body.a.b"), paths("body.a.b", "body.a"), paths("body.a", "body[0]"), paths("body[0]", "body.a"), paths("body", "body.a"), paths("args[999999999]"), paths("args[100]")} {
		if body, _, err := messageOf(job.Job{Queue: job.SQS, Operation: job.Operation{Key: key}}); err == nil {
			t.Errorf("no message has all of %v, and this was made: %s", key, body)
		}
	}
}

// What is in the folder is not asked for.
func TestCommands(t *testing.T) {
	module, app := []byte("package main // the worker\n"), []byte("app = Celery(\"shop\")\n")
	for name, c := range map[string]struct {
		queue      job.Queue
		repository fstest.MapFS
		folder     string
		old, new   command
	}{
		"a module's program": {job.SQS, fstest.MapFS{"go.mod": {}, "cmd/worker/main.go": {Data: module}, "cmd/worker/more.go": {Data: module}, "shop.go": {Data: []byte("package shop\n")}}, "",
			command{"mkdir {out}/old && git archive 9e5b4f4 | tar -x -C {out}/old && cd {out}/old && go build -o {out}/old-worker ./cmd/worker", "{out}/old-worker"}, command{"go build -o {out}/new-worker ./cmd/worker", "{out}/new-worker"}},
		"two programs": {job.SQS, fstest.MapFS{"go.mod": {}, "main.go": {Data: module}, "cmd/worker/main.go": {Data: module}}, "",
			command{"mkdir {out}/old && git archive 9e5b4f4 | tar -x -C {out}/old && cd {out}/old && go build -o {out}/old-worker FILL_IN", "{out}/old-worker"}, command{"go build -o {out}/new-worker FILL_IN", "{out}/new-worker"}},
		"Celery, below": {job.Celery, fstest.MapFS{"shop/celery.py": {Data: app}}, "services/my billing",
			command{"mkdir {out}/old && git -C ../.. archive 9e5b4f4 | tar -x -C {out}/old", "celery --workdir '{out}/old/services/my billing' -A shop.celery:app worker -n worker{port}@%h -c 1 --without-mingle --without-gossip"},
			command{"", "celery -A shop.celery:app worker -n worker{port}@%h -c 1 --without-mingle --without-gossip"}},
		"two applications": {job.Celery, fstest.MapFS{"a.py": {Data: app}, "b.py": {Data: app}}, "",
			command{"mkdir {out}/old && git archive 9e5b4f4 | tar -x -C {out}/old", "celery --workdir {out}/old -A FILL_IN worker -n worker{port}@%h -c 1 --without-mingle --without-gossip"},
			command{"", "celery -A FILL_IN worker -n worker{port}@%h -c 1 --without-mingle --without-gossip"}},
		"Rails": {job.Sidekiq, fstest.MapFS{"config/application.rb": {}, "Gemfile": {}}, "",
			command{"mkdir {out}/old && git archive 9e5b4f4 | tar -x -C {out}/old", "cd {out}/old && exec bundle exec sidekiq -e test -c 1"}, command{"", "bundle exec sidekiq -e test -c 1"}},
		"ActiveRecord without Rails": {job.Sidekiq, fstest.MapFS{"db/migrate/20200101000000_first.rb": {}}, "",
			command{"mkdir {out}/old && git archive 9e5b4f4 | tar -x -C {out}/old", "cd {out}/old && exec sidekiq -e test -c 1 -r FILL_IN"}, command{"", "sidekiq -e test -c 1 -r FILL_IN"}},
		"SQS in Python": {job.SQS, fstest.MapFS{"requirements.txt": {}}, "", command{"mkdir {out}/old && git archive 9e5b4f4 | tar -x -C {out}/old", "cd {out}/old && exec python3 FILL_IN"}, command{"", "python3 FILL_IN"}},
	} {
		r := Request{Job: job.Job{Queue: c.queue}, Framework: Guess(c.repository), Commit: "9e5b4f4", Repository: c.repository, Folder: c.folder}
		if got := oldCode(r); got != c.old {
			t.Errorf("%s: the old code is\n%+v, want\n%+v", name, got, c.old)
		}
		if got := commandIn(r, ""); got != c.new {
			t.Errorf("%s: the new code is\n%+v, want\n%+v", name, got, c.new)
		}
	}
}

// Each place that is left is named, with its line, and nothing is run.
func TestUnfilledIsRefused(t *testing.T) {
	for _, q := range []job.Queue{job.SQS, job.Sidekiq, job.Celery} {
		for _, kind := range []job.EffectKind{job.Outside, job.OwnRow} {
			text := replayTextOf(t, requestOf(SQL, "postgres", q, kind))
			_, err := jobfile.ParseReplay("twiceproof.replay.yaml", []byte(text))
			told := map[int]bool{}
			for _, e := range jobfile.Errors(err) {
				told[e.Line] = strings.Contains(e.What, "is not filled in") || told[e.Line]
			}
			for i, line := range strings.Split(text, "\n") {
				if is := strings.Contains(line, unfilled) && !strings.HasPrefix(strings.TrimSpace(line), "#"); is != told[i+1] {
					t.Errorf("%s, %s: line %d told %v: %s", q, kind, i+1, told[i+1], line)
				}
			}
		}
	}
}
