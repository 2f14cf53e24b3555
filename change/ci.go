package change

import (
	"io/fs"
	"path"
	"strings"
)

// ci is an entry that replays the new code: as a workflow where the repository has those of
// GitHub, or else as a text to include. GitHub reads workflows at the top of the git
// repository only, so the names have the folder in them: each may have an entry.
func ci(top fs.FS, r Request) File {
	const what = "replays the new code in CI"
	f := filling{Folder: r.Folder, Name: strings.TrimSpace(r.Folder + " " + r.beside), Needs: needsOf(r)}
	if r.beside != "" {
		f.Replay = r.replayFile()
	}
	if has(top, ".gitlab-ci.yml") {
		name := path.Join(r.Folder, r.place("gitlab-ci.yml"))
		return File{name, fill("gitlab.yml.tmpl", f), what + "; include it in .gitlab-ci.yml"}
	}
	name := strings.ReplaceAll(path.Join("twiceproof", r.Folder, r.beside), "/", "-")
	return File{".github/workflows/" + name + ".yml", fill("github.yml.tmpl", f), what}
}

// needs are what the CI entry installs for the application's own code.
type needs struct {
	Language string // empty: nothing tells, and the reader fills it in
	Pip      string // what pip is to install
	Version  string // a setting of setup-python or setup-ruby
}

// needsOf goes by what the folder has. Go fetches its modules when it builds.
func needsOf(r Request) needs {
	there := func(name string) bool { return has(r.Repository, name) }
	n := needs{Language: string(languageOf(r))}
	switch {
	case n.Language == "go" && there("go.mod"):
	case n.Language == "python":
		if n.Version = "python-version: 3.x"; there(".python-version") {
			n.Version = "python-version-file: " + yamlText(path.Join(r.Folder, ".python-version"))
		}
		switch {
		case there("requirements.txt"):
			n.Pip = "-r requirements.txt"
		case there("pyproject.toml"), there("setup.py"):
			n.Pip = "."
		default:
			n.Language = ""
		}
	case n.Language == "ruby" && there("Gemfile"):
		if n.Version = "ruby-version: ruby, "; there(".ruby-version") || toolsNameRuby(r.Repository) {
			n.Version = "" // setup-ruby reads it
		}
	default:
		n.Language = ""
	}
	return n
}

// toolsNameRuby: it may name others alone, and then setup-ruby has no version.
func toolsNameRuby(repository fs.FS) bool {
	text, _ := fs.ReadFile(repository, ".tool-versions") // none where there is none
	return strings.Contains("\n"+string(text), "\nruby ")
}
