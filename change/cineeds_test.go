package change

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/twiceproof/twiceproof/job"
)

// The entry installs what the application needs, by what its folder has; where nothing tells,
// it has FILL_IN, at which a shell ends.
func TestCIEntryInstallsLibraries(t *testing.T) {
	for name, c := range map[string]struct {
		queue          job.Queue
		files          []string
		github, gitlab []string
	}{
		"requirements":     {job.Celery, []string{"requirements.txt", "pyproject.toml"}, []string{"python-version:3.x", "pip install -r requirements.txt"}, []string{"pip install -r requirements.txt"}},
		"a Python project": {job.Celery, []string{"pyproject.toml", ".python-version"}, []string{"python-version-file:app/.python-version", "pip install ."}, []string{"pip install ."}},
		"bundle":           {job.Sidekiq, []string{"Gemfile", "Gemfile.lock"}, []string{"ruby-version:ruby", "bundler-cache:true", "working-directory:app"}, []string{"bundle install"}},
		"a Ruby version":   {job.Sidekiq, []string{"Gemfile", ".ruby-version"}, []string{"bundler-cache:true", "working-directory:app"}, []string{"bundle install"}},
		"tools, and Ruby":  {job.Sidekiq, []string{"Gemfile", ".tool-versions: nodejs 20\nruby 3.3.0\n"}, []string{"bundler-cache:true", "working-directory:app"}, []string{"bundle install"}},
		"tools, no Ruby":   {job.Sidekiq, []string{"Gemfile", ".tool-versions: nodejs 20\n"}, []string{"ruby-version:ruby", "bundler-cache:true", "working-directory:app"}, []string{"bundle install"}},
		"a Go module":      {job.SQS, []string{"go.mod"}, nil, nil},
		"nothing tells":    {job.SQS, []string{"README.md"}, []string{"FILL_IN"}, []string{"FILL_IN"}},
		"Python, no list":  {job.Celery, []string{"tasks.py"}, []string{"FILL_IN"}, []string{"FILL_IN"}},
		"Ruby, no list":    {job.Sidekiq, []string{"jobs.rb"}, []string{"FILL_IN"}, []string{"FILL_IN"}},
	} {
		r := requestOf(SQL, "postgres", c.queue, job.Outside)
		r.Folder = "app"
		repository := fstest.MapFS{}
		for _, file := range c.files {
			name, text, _ := strings.Cut(file, ": ")
			repository["app/"+name] = &fstest.MapFile{Data: []byte(text)}
		}
		r.Repository = repository
		if got := stepsOf(t, r); !slices.Equal(got, c.github) {
			t.Errorf("%s, GitHub: %q, want %q", name, got, c.github)
		}
		repository[".gitlab-ci.yml"] = &fstest.MapFile{}
		if got := scriptOf(t, r); !slices.Equal(got, c.gitlab) {
			t.Errorf("%s, GitLab: %q, want %q", name, got, c.gitlab)
		}
	}
}

func entryOf(t *testing.T, r Request) string {
	t.Helper()
	files, err := Files(r)
	if err != nil {
		t.Fatal(err)
	}
	return files[len(files)-1].Text
}

// stepsOf GitHub's entry between the checkout with Go and the servers: settings and commands.
func stepsOf(t *testing.T, r Request) (said []string) {
	t.Helper()
	steps := parseWorkflow(t, entryOf(t, r)).Jobs["replay"].Steps
	for _, s := range steps[2 : len(steps)-4] {
		for _, setting := range []string{"python-version", "python-version-file", "ruby-version", "bundler-cache", "working-directory"} {
			if value, is := s.With[setting]; is {
				said = append(said, setting+":"+value)
			}
		}
		if s.Run != "" {
			said = append(said, s.Run)
		}
	}
	return said
}

// scriptOf GitLab's entry between the change of the folder and our own program, without what
// it installs for that.
func scriptOf(t *testing.T, r Request) (said []string) {
	t.Helper()
	var entry map[string]struct{ Script []string }
	parse(t, entryOf(t, r), &entry)
	for _, e := range entry {
		for _, command := range e.Script[2 : len(e.Script)-2] {
			if !strings.HasPrefix(command, "apt-get ") {
				said = append(said, command)
			}
		}
	}
	return said
}
