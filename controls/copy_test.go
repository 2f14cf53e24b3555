package controls_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// copied is a copy of the examples, of the foreign workers that are not built and of the two adapters, with the changes. A worker
// in Ruby or Python runs its source, so there is no build that could take another file;
// and it must be a copy: both languages follow a link to the folder that it leads to,
// and load from there what stands beside the file.
func copied(t *testing.T, changes []change) string {
	t.Helper()
	root := t.TempDir()
	for _, part := range []string{"examples", "controls/foreign_celery", "controls/foreign_sidekiq", "ruby/lib", "python/src"} {
		if err := copyTree(filepath.Join("..", part), filepath.Join(root, part)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range changes {
		c.write(t, filepath.Join(root, c.file))
	}
	return root
}

// copyTree leaves out what is made by running it, which may come and go meanwhile.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, strings.TrimPrefix(path, from))
		switch {
		case e.Name() == "__pycache__" || e.Name() == "evidence":
			return fs.SkipDir
		case e.IsDir():
			return os.MkdirAll(target, 0o755)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o644)
	})
}

// unreadable is nothing in Ruby, Python or SQL: whatever reads it prints it.
const unreadable = "unreadable_on_purpose ))"

// loads tells whether the worker reads the file: it prints what stands there when that
// is unreadable. A build needs no such look: its overlay does nothing in silence only
// when the file is none of the program's, and then the control is not caught.
func loads(t *testing.T, s setup, file string) (yes bool, printed string) {
	t.Helper()
	if isBuilt(s.replayFile(t, "..")) {
		return true, ""
	}
	broken := change{file: file, new: unreadable}
	broken.old = broken.text(t)
	r := request(t, trial{setup: s, only: "sequential"}, []change{broken})
	r.Spec.Versions[0].Build = "" // for the sweep
	r.Keep = func(k replay.Kept) error {
		printed = k.Log
		return nil
	}
	plan, err := replay.MakePlan(r)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	out, err := replay.Run(ctx, r, plan)
	if problem := (*hinted.Error)(nil); errors.As(err, &problem) {
		printed += problem.What // a schema is read by the replay itself
	}
	yes = strings.Contains(printed, strings.Fields(unreadable)[0])
	if !yes && (err != nil || seen(out.Results[0]) != judge.OK) {
		t.Fatalf("with %s unreadable neither the file is read nor all is well: %v\n%s", file, err, printed)
	}
	return yes, printed
}

// A hunk in a file that nobody reads is no control. TestControls shows that the others
// are read.
func TestFileThatNobodyReads(t *testing.T) {
	for worker, file := range map[string]string{"sidekiq-charge": "old/charge_job.rb", "celery-charge": "old/tasks.py"} {
		t.Run(worker, func(t *testing.T) {
			s := setup{worker: "../examples/" + worker}
			if yes, printed := loads(t, s, filepath.Join(s.folder(), file)); yes {
				t.Errorf("%s is none of the worker's, and it printed:\n%s", file, printed)
			}
		})
	}
}

// python is the interpreter that has Celery; see the Makefile.
func python(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../bin/python/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func skipWithoutPrograms(t *testing.T, spec *jobfile.Replay) {
	t.Helper()
	program, hint := "sidekiq", "ruby/install"
	if !strings.HasPrefix(spec.Versions[0].Run, program) {
		program, hint = python(t), "make bin/python"
	}
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("there is no %s: %s", program, hint)
	}
}
