package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// ErrStored is that a stored plan or history is not one.
var ErrStored = errors.New("evidence cannot be read")

// largestEvent bounds a line of a history.
const largestEvent = 1 << 20

// Stored is a case of stored evidence: what was planned, and what was seen of it.
type Stored struct {
	Planned judge.Planned
	Events  []judge.Event
	// Missing: it was planned, and there is no history of it.
	Missing bool
	// Broken is why its history cannot be read.
	Broken error
}

// Judge gives the verdict and the numbers once more; a pure function.
func (s Stored) Judge() judge.Result {
	r := judge.NewResult(s.Planned, s.Events)
	switch {
	case s.Missing:
		r.Verdict = judge.Verdict{Verdict: judge.Unknown, Why: "it was planned, and there is no history of it"}
	case s.Broken != nil:
		r.Verdict = judge.Verdict{Verdict: judge.Unknown, Why: s.Broken.Error()}
	}
	return r
}

// ReadStored reads the plan and the histories of the folder, those of which only says yes.
func (e Evidence) ReadStored(only func(file string) bool) ([]Stored, error) {
	var plan judge.Plan
	text, err := readRegular(filepath.Join(e.Folder, planFile))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStored, err)
	}
	if err := json.Unmarshal(text, &plan); err != nil || plan.Schema != judge.PlanSchema {
		return nil, fmt.Errorf("%w: %s is no plan of the form %s", ErrStored, planFile, judge.PlanSchema)
	}
	var all []Stored
	for _, p := range plan.Cases {
		if !only(filepath.Base(historyFile(p))) {
			continue
		}
		s := Stored{Planned: p}
		if p.NotApplicable == "" {
			if s.Events, err = e.readHistory(historyFile(p)); errors.Is(err, fs.ErrNotExist) {
				s.Missing, err = true, nil
			}
			s.Broken = err
		}
		all = append(all, s)
	}
	return all, nil
}

// readHistory takes no line for another: one that is cut or has a field that this version
// does not know makes the whole history useless.
func (e Evidence) readHistory(name string) (events []judge.Event, err error) {
	text, err := readRegular(filepath.Join(e.Folder, name))
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, largestEvent)
	for n := 1; lines.Scan(); n++ {
		var event judge.Event
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.DisallowUnknownFields()
		if err := d.Decode(&event); err != nil {
			return nil, fmt.Errorf("%w: %s, line %d: %w", ErrStored, name, n, err)
		}
		events = append(events, event)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrStored, name, err)
	}
	return events, nil
}

// ReadResults reads the results that were stored, complete or not.
func (e Evidence) ReadResults() (r Report, err error) {
	for _, name := range []string{resultFile, incompleteFile} {
		var text []byte
		if text, err = readRegular(filepath.Join(e.Folder, name)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err != nil {
			return r, fmt.Errorf("%w: %s: %w", ErrStored, name, err)
		}
		return r, nil
	}
	return r, fmt.Errorf("%w: there is no %s", ErrStored, resultFile)
}

// readRegular reads no named pipe, which would be waited for.
func readRegular(path string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New(path + " is no regular file")
	}
	return os.ReadFile(path)
}
