package change_test

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/change"
	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

// project is a small application of a framework with one migration, in a repository of
// its own.
type project struct {
	t *testing.T
	commands
	folder string
	job    job.Job
	db     *database
	guard  *twiceproof.Guard
}

func newProject(t *testing.T, f change.Framework, d string) *project {
	t.Helper()
	frameworks[f].need(t, d)
	p := &project{t: t, commands: frameworks[f], folder: t.TempDir(), db: newDatabase(t, d)}
	for _, folder := range []string{"all", string(f)} {
		if err := os.CopyFS(p.folder, os.DirFS("testdata/projects/"+folder)); err != nil {
			t.Fatal(err)
		}
	}
	file, err := jobfile.Load(filepath.Join(p.folder, jobfile.DefaultName))
	if err != nil {
		t.Fatal(err)
	}
	p.job = file.Jobs[0]
	options := twiceproof.Options{Log: slog.New(slog.DiscardHandler)}
	if p.guard, err = twiceproof.New(p.db.DB, twiceproof.Dialect(d), p.job, options); err != nil {
		t.Fatal(err)
	}
	p.run("git init --quiet && git add . && git commit --quiet --message application")
	return p
}

// initialise writes the change as the command does.
func (p *project) initialise() {
	p.t.Helper()
	repository := os.DirFS(p.folder)
	files, err := change.Files(change.Request{Job: p.job, Table: dialect.Table, Dialect: p.db.dialect, Framework: change.Guess(repository), Now: time.Now(), Repository: repository})
	if err != nil {
		p.t.Fatal(err)
	}
	for _, f := range files {
		name := filepath.Join(p.folder, f.Path)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(f.Text), 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
	p.run("git add . && git commit --quiet --message change")
}

func (p *project) run(line string) string {
	p.t.Helper()
	output, err := p.try(line)
	if err != nil {
		p.t.Fatalf("%s: %v\n%s", line, err, output)
	}
	return output
}

// try gives a line to a shell in the project's folder, and ends all that it has started
// when it takes too long.
func (p *project) try(line string) (string, error) {
	p.t.Helper()
	interpreter, err := filepath.Abs(python)
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), 3*time.Minute)
	defer cancel()
	shell := exec.CommandContext(ctx, "sh", "-c", line)
	shell.Dir = p.folder
	shell.Env = append(os.Environ(), "PYTHON="+interpreter, "ADDRESS="+p.db.fill(p.address[p.db.dialect]),
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	shell.Cancel = func() error { return syscall.Kill(-shell.Process.Pid, syscall.SIGKILL) }
	output, err := shell.CombinedOutput()
	return string(output), err
}

// turnBack reverts the last commit; twice, and all is as before.
func (p *project) turnBack() {
	p.t.Helper()
	p.run("git revert --no-edit HEAD")
}

// recorded is what the framework has written down as run.
func (p *project) recorded() []string {
	p.t.Helper()
	if p.applied == "" {
		return nil
	}
	return p.db.texts(p.applied)
}

// deliver hands the order's message over to the new code.
func (p *project) deliver(order string) (r twiceproof.Result, acted bool) {
	p.t.Helper()
	d := twiceproof.Delivery{Fields: job.Fields{"body": map[string]any{"order_id": order}}}
	r, err := p.guard.Run(p.t.Context(), d, func(context.Context, *twiceproof.Operation) error { acted = true; return nil })
	if err != nil {
		p.t.Fatal(err)
	}
	return r, acted
}
