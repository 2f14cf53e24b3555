package main

import (
	"os"
	"path/filepath"
	"testing"
)

// initOnTerminal is in a folder with a job file only.
func initOnTerminal(t *testing.T, address string) *terminal {
	t.Helper()
	text, err := os.ReadFile("testdata/job/twiceproof.yaml")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "twiceproof.yaml"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	tt := onTerminal(t, []string{"DATABASE_URL=" + address}, "init", folder)
	tt.folder = folder
	return tt
}

func (tt *terminal) wrote(want bool) {
	tt.t.Helper()
	all, err := os.ReadDir(tt.folder)
	if err != nil || len(all) > 1 != want {
		tt.t.Errorf("in the folder: %v %v", all, err)
	}
}

func TestInitAsks(t *testing.T) {
	for name, c := range map[string]struct {
		keys, says string
		status     int
		writes     bool
	}{
		"y":               {"y\r", "7 files were written (migrations of sql, SQLite)", statusGood, true},
		"YES":             {" YES \r", "7 files were written", statusGood, true},
		"n":               {"n\r", "nothing was written (migrations of sql, SQLite); --write writes these 7 files", statusGood, false},
		"another word":    {"yesterday\r", "nothing was written", statusGood, false},
		"an empty line":   {"\r", "nothing was written", statusGood, false},
		"the input's end": {"\x04", "nothing was written", statusGood, false},
		"ctrl+c":          {ctrlC, "error: interrupted", statusInterrupted, false},
		"y, then ctrl+c":  {"y" + ctrlC, "error: interrupted", statusInterrupted, false},
	} {
		t.Run(name, func(t *testing.T) {
			tt := initOnTerminal(t, "sqlite:///shop")
			tt.sees("write these files? [y/N]")
			tt.wrote(false) // nothing before the answer
			tt.types(c.keys)
			tt.sees(c.says)
			if status := tt.ends(); status != c.status {
				t.Errorf("exit status %d", status)
			}
			tt.wrote(c.writes)
		})
	}
}

// A database that nothing tells is not asked about, and not guessed.
func TestInitOnATerminalWithoutADatabase(t *testing.T) {
	tt := initOnTerminal(t, "")
	tt.sees("error: nothing tells which database the application has")
	tt.sees("hint: write --database postgres")
	if status := tt.ends(); status != statusUsage {
		t.Errorf("exit status %d", status)
	}
	tt.wrote(false)
}
