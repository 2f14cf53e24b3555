package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/twiceproof/twiceproof/replay"
)

// Evidence is the folder in which a replay leaves what it planned and saw.
type Evidence struct{ Folder string }

// WritePlan starts the evidence: what is permitted is on the disk before the first
// worker starts.
func (e Evidence) WritePlan(p replay.Plan) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(e.Folder, 0o755); err != nil {
		return err
	}
	return e.write("plan.json", append(text, '\n'))
}

// WriteHistories keeps each case's history as JSON lines, and what its workers
// printed.
func (e Evidence) WriteHistories(out replay.Outcome) error {
	for name, events := range out.Histories {
		var lines bytes.Buffer
		for _, event := range events {
			line, err := json.Marshal(event)
			if err != nil {
				return err
			}
			lines.Write(append(line, '\n'))
		}
		file := fileOf(name)
		if err := e.write(filepath.Join("histories", file+".jsonl"), lines.Bytes()); err != nil {
			return err
		}
		if err := e.write(filepath.Join("logs", file+".log"), []byte(out.Logs[name])); err != nil {
			return err
		}
	}
	return errors.Join(e.removeOthers("histories", ".jsonl", out), e.removeOthers("logs", ".log", out))
}

// removeOthers removes what an earlier replay left of cases that this one does not
// have: it would pass for evidence of this plan.
func (e Evidence) removeOthers(folder, ext string, out replay.Outcome) error {
	keep := map[string]bool{}
	for name := range out.Histories {
		keep[fileOf(name)+ext] = true
	}
	files, err := os.ReadDir(filepath.Join(e.Folder, folder))
	for _, file := range files {
		if !keep[file.Name()] {
			err = errors.Join(err, os.Remove(filepath.Join(e.Folder, folder, file.Name())))
		}
	}
	return err
}

// fileOf is the name, without its end, of a case's file.
func fileOf(name string) string { return strings.ReplaceAll(name, "/", "-") }

// WriteReports keeps the whole report, for programs and for people.
func (e Evidence) WriteReports(r Report) error {
	for name, write := range map[string]func(io.Writer, Report) error{"result.json": WriteJSON, "report.md": WriteMarkdown, "junit.xml": WriteJUnit} {
		var text bytes.Buffer
		if err := write(&text, r); err != nil {
			return err
		}
		if err := e.write(name, text.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// write replaces a file in one step, so that a full disk or a kill leaves the old
// evidence whole.
func (e Evidence) write(name string, text []byte) error {
	path := filepath.Join(e.Folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	unfinished := path + ".unfinished"
	if err := os.WriteFile(unfinished, text, 0o644); err != nil { //nolint:gosec // evidence is for others to read
		_ = os.Remove(unfinished)
		return fmt.Errorf("write evidence: %w", err)
	}
	return os.Rename(unfinished, path)
}
