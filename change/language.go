package change

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/job"
)

type language string

const (
	golang language = "go"
	python language = "python"
	ruby   language = "ruby"
)

// languageOf is the worker's: that of its queue system, or of what is in the folder.
func languageOf(r Request) language {
	any := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return has(r.Repository, name) })
	}
	switch {
	case r.Job.Queue == job.Sidekiq:
		return ruby
	case r.Job.Queue == job.Celery:
		return python
	case any("go.mod"):
		return golang
	case r.Framework == Django, r.Framework == Alembic, any("pyproject.toml", "requirements.txt", "setup.py", "Pipfile"):
		return python
	case r.Framework == Rails, any("Gemfile"):
		return ruby
	}
	return golang
}

var mainPackage = regexp.MustCompile(`(?m)^package main\b`)

// goMain is the only program that the module has.
func goMain(repository fs.FS) string {
	var folders []string
	for _, pattern := range []string{"*.go", "*/*.go", "cmd/*/*.go"} {
		names, _ := fs.Glob(repository, pattern) // the pattern is sound
		for _, name := range names {
			text, _ := fs.ReadFile(repository, name) // what cannot be read is no program
			folder := "."
			if dir := path.Dir(name); dir != "." {
				folder = "./" + dir
			}
			if mainPackage.Match(text) && !slices.Contains(folders, folder) {
				folders = append(folders, folder)
			}
		}
	}
	if len(folders) != 1 || !plainWord.MatchString(folders[0]) {
		return unfilled
	}
	return folders[0]
}

var celeryApp = regexp.MustCompile(`(?m)^(\w+)\s*(?::[^=\n]*)?=\s*(?:celery\.)?Celery\(`)

// celeryAppOf is what celery -A takes: the only application that the folder's modules make.
func celeryAppOf(repository fs.FS) string {
	var apps []string
	for _, pattern := range []string{"*.py", "*/*.py"} {
		names, _ := fs.Glob(repository, pattern) // the pattern is sound
		for _, name := range names {
			text, _ := fs.ReadFile(repository, name) // what cannot be read makes none
			module := strings.ReplaceAll(strings.TrimSuffix(name, ".py"), "/", ".")
			for _, m := range celeryApp.FindAllSubmatch(text, -1) {
				apps = append(apps, module+":"+string(m[1]))
			}
		}
	}
	apps = slices.DeleteFunc(apps, func(app string) bool { return !pythonModule.MatchString(app) })
	if len(apps) != 1 {
		return unfilled
	}
	return apps[0]
}

var pythonModule = regexp.MustCompile(`^[A-Za-z_][\w.]*:\w+$`)
