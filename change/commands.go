package change

import (
	"path"
	"strings"

	"github.com/twiceproof/twiceproof/internal/shell"
	"github.com/twiceproof/twiceproof/job"
)

// command is how one version is built and run; the build may be empty.
type command struct{ Build, Run string }

// programs are what the two commands leave open.
var programs = map[language]map[job.Queue]string{
	golang: {job.SQS: "the package of the worker, such as ./cmd/worker"},
	ruby:   {job.SQS: "the file that starts the worker, such as bin/worker.rb", job.Sidekiq: "the file that loads the jobs, such as ./app.rb"},
	python: {job.SQS: "the file that starts the worker, such as worker.py", job.Celery: "the module with the Celery application, such as shop.celery"},
}

// oldCode comes out of git, so that neither a checkout is needed nor a worktree stays.
func oldCode(r Request) command {
	if r.Commit == "" {
		return commandIn(r, unfilled)
	}
	git := "git"
	if r.Folder != "" {
		git += " -C " + strings.Repeat("../", strings.Count(r.Folder, "/")) + ".."
	}
	old := commandIn(r, path.Join("{out}/old", r.Folder))
	build := "mkdir {out}/old && " + git + " archive " + r.Commit + " | tar -x -C {out}/old"
	if old.Build != "" {
		build += " && " + old.Build
	}
	return command{build, old.Run}
}

// commandIn a folder; empty: this one.
func commandIn(r Request, folder string) command {
	on := languageOf(r)
	in, exec, workdir := "", "", ""
	if folder != "" {
		in, workdir = "cd "+shellWord(folder)+" && ", "--workdir "+shellWord(folder)+" "
		exec = in + "exec " // in the shell's place, so that the worker itself gets SIGTERM
	}
	switch {
	case on == golang && folder == "":
		return command{"go build -o {out}/new-worker " + goMain(r.Repository), "{out}/new-worker"}
	case on == golang:
		return command{in + "go build -o {out}/old-worker " + goMain(r.Repository), "{out}/old-worker"}
	case r.Job.Queue == job.Celery: // each worker has a name of its own, which RabbitMQ needs
		return command{Run: "celery " + workdir + "-A " + celeryAppOf(r.Repository) + " worker -n worker{port}@%h -c 1 --without-mingle --without-gossip"}
	}
	return command{Run: exec + plainCommand(r, on)}
}

func plainCommand(r Request, on language) string {
	bundle := ""
	if has(r.Repository, "Gemfile") {
		bundle = "bundle exec "
	}
	switch {
	case on == python:
		return "python3 " + unfilled
	case r.Job.Queue != job.Sidekiq:
		return bundle + "ruby " + unfilled
	case has(r.Repository, "config/application.rb"): // which Sidekiq loads by itself
		return bundle + "sidekiq -e test -c 1"
	}
	return bundle + "sidekiq -e test -c 1 -r " + unfilled
}

// shellWord is one word of a shell's, whatever is in it.
func shellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return shell.Quote(text)
}
