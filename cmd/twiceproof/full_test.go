package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/internal/testdb"
)

// On a full disk, or where it must not write, each command says what helps for what it was
// writing, and leaves nothing of it.
func TestCannotWrite(t *testing.T) {
	testdb.Needs(t, "strace", "apt-get install strace")
	const elsewhere = "hint: the disk is full: free some space, or name a file on another disk\n"
	const again = "hint: the disk is full: free some space, and run it again; nothing was written\n"
	const full, closed = "write:error=ENOSPC", "openat:error=EPERM"
	for _, c := range []struct{ command, file, fault, said string }{
		{"init --write --database postgres .", ".twiceproof.replay.yaml.unfinished", full, again},
		{"init --write --database postgres .", "migrations/.8_create_idempotency_records.sql.unfinished", full, again},
		{"init --write --database postgres .", "twiceproof/.job.go.txt.unfinished", closed, "operation not permitted\nhint: nothing was written; check the permissions of the repository\n"},
		{"fit --answers answers.yaml --write new.yaml", "new.yaml", full, elsewhere},
		{"repeats --csv charges.csv --reference order_id --time charged_at --html new.html", "new.html", full, elsewhere},
	} {
		t.Run(c.file, func(t *testing.T) {
			folder := t.TempDir()
			text, err := os.ReadFile("testdata/job/twiceproof.yaml")
			if err := errors.Join(err, os.WriteFile(filepath.Join(folder, "twiceproof.yaml"), text, 0o600), os.CopyFS(folder, os.DirFS("../../examples/sqs-charge/past")),
				os.Mkdir(filepath.Join(folder, "migrations"), 0o755), os.WriteFile(filepath.Join(folder, "migrations", "7_first.sql"), nil, 0o600)); err != nil {
				t.Fatal(err)
			}
			before := filesBelow(t, folder)
			cmd := exec.CommandContext(t.Context(), "strace", append([]string{
				"-f", "-qq", "-o", filepath.Join(t.TempDir(), "trace"), "-P", filepath.Join(folder, c.file), "-P", c.file, "-e", "inject=" + c.fault, "twiceproof",
			}, strings.Fields(c.command)...)...)
			cmd.Dir = folder
			output, err := cmd.CombinedOutput()
			if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != statusUsage || !strings.HasSuffix(string(output), c.said) {
				t.Errorf("%v\n%s", err, output)
			}
			if after := filesBelow(t, folder); !slices.Equal(after, before) {
				t.Errorf("there are %q, and were %q", after, before)
			}
		})
	}
}

func filesBelow(t *testing.T, folder string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		all = append(all, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
