package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/twiceproof/twiceproof/replay"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// Evidence is the folder in which a replay leaves what it planned and saw.
type Evidence struct{ Folder string }

// The files of the folder, beside histories/ and logs/.
const (
	planFile       = "plan.json"
	incompleteFile = "incomplete.json" // what was found so far; there until the results are
	resultFile     = "result.json"

	unfinished = ".unfinished" // of a file that is being written, or was when a kill came
)

// Start removes what an earlier replay left in the folder, which would pass for
// evidence of this plan, and writes the plan: what is permitted is on the disk before
// the first worker starts.
func (e Evidence) Start(p judge.Plan) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(e.Folder, 0o755); err != nil {
		return err
	}
	if err := e.removeEarlier(); err != nil {
		return err
	}
	return e.write(planFile, append(text, '\n'))
}

// removeEarlier removes the reports, and the histories and logs of the cases in the
// earlier plan. Nothing else: the folder may be one that the user has for more.
func (e Evidence) removeEarlier() error {
	names := []string{resultFile, "report.md", "report.html", "junit.xml", incompleteFile}
	var earlier judge.Plan
	text, err := os.ReadFile(filepath.Join(e.Folder, planFile))
	if err == nil && json.Unmarshal(text, &earlier) == nil && earlier.Schema == judge.PlanSchema {
		for _, c := range earlier.Cases {
			names = append(names, historyFile(c), logFile(c))
		}
		names = append(names, planFile) // last: it tells what there is to remove
	}
	for _, name := range names {
		if err := errors.Join(e.remove(name+unfinished), e.remove(name)); err != nil {
			return err
		}
	}
	return nil
}

func (e Evidence) remove(name string) error {
	if err := os.Remove(filepath.Join(e.Folder, name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// WriteCase keeps what a case leaves as soon as it has ended: its history as JSON
// lines, and what its workers printed.
func (e Evidence) WriteCase(k replay.Kept) error {
	if len(k.Events) == 0 { // it does not apply
		return nil
	}
	var lines bytes.Buffer
	for _, event := range k.Events {
		line, err := json.Marshal(event)
		if err != nil {
			return err
		}
		lines.Write(append(line, '\n'))
	}
	if err := e.write(historyFile(k.Planned), lines.Bytes()); err != nil {
		return err
	}
	return e.write(logFile(k.Planned), []byte(k.Log))
}

func historyFile(p judge.Planned) string {
	return filepath.Join("histories", fileOf(p)+".jsonl")
}

func logFile(p judge.Planned) string { return filepath.Join("logs", fileOf(p)+".log") }

// fileOf is the name, without its end, of a case's file.
func fileOf(p judge.Planned) string {
	return strings.ReplaceAll(p.Version+"/"+p.Label(), "/", "-")
}

// WriteIncomplete keeps the results so far, in the form of the whole report.
func (e Evidence) WriteIncomplete(r Report) error {
	return e.writeReport(incompleteFile, r, WriteJSON)
}

// WriteReports keeps the whole report, for programs and for people, with the histories by
// version/case. The results are the last file: where they are, everything is.
func (e Evidence) WriteReports(r Report, histories map[string][]judge.Event) error {
	drawn := func(w io.Writer, r Report) error { return WriteHTML(w, r, histories) }
	for _, report := range []struct {
		name  string
		write func(io.Writer, Report) error
	}{{"report.md", WriteMarkdown}, {"report.html", drawn}, {"junit.xml", WriteJUnit}, {resultFile, WriteJSON}} {
		if err := e.writeReport(report.name, r, report.write); err != nil {
			return err
		}
	}
	return e.remove(incompleteFile)
}

func (e Evidence) writeReport(name string, r Report, write func(io.Writer, Report) error) error {
	var text bytes.Buffer
	if err := write(&text, r); err != nil {
		return err
	}
	return e.write(name, text.Bytes())
}

// write replaces a file in one step, so that a full disk or a kill leaves the old
// evidence whole.
func (e Evidence) write(name string, text []byte) error {
	path := filepath.Join(e.Folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path+unfinished, text, 0o644); err != nil { //nolint:gosec // evidence is for others to read
		_ = os.Remove(path + unfinished)
		return fmt.Errorf("write evidence: %w", err)
	}
	return os.Rename(path+unfinished, path)
}
