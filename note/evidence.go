package note

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/report"
)

// DoctorSchema names the form of the settings check that the note reads.
const DoctorSchema = "twiceproof.doctor/1"

// Doctor is what the settings check found.
type Doctor struct {
	Schema   string    `json:"schema"`
	Jobs     []string  `json:"jobs"`
	Table    string    `json:"table"`
	LookedAt []Source  `json:"looked_at"`
	Findings []Finding `json:"findings"`
	// CouldNotCheck is what it could not tell.
	CouldNotCheck []Gap `json:"could_not_check"`
}

// Source is something that the settings check has read: job, database, queue, celery, sidekiq.
type Source struct {
	Source string `json:"source"`
}

// Finding is one thing that is not as it should be.
type Finding struct {
	ID       string `json:"id"`
	Severity string `json:"severity"` // repeats, loses, blocks, note
	Subject  string `json:"subject"`
	What     string `json:"what"`
	Why      string `json:"why"`
	Mend     string `json:"mend"`
	// Voids: while this is so, nothing that a replay has shown holds.
	Voids bool `json:"voids"`
}

// Gap is something that the settings check could not tell: a finding, or a whole source.
type Gap struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
	// Matters is false for what nobody asked for.
	Matters bool `json:"matters"`
}

// live: the job file alone says nothing of where the job runs, and an application's
// settings nothing of its database and queue.
func (d Doctor) live() bool {
	return slices.ContainsFunc(d.LookedAt, func(s Source) bool { return s.Source == "database" || s.Source == "queue" })
}

// ReadReport reads result.json, or incomplete.json of a replay that did not end.
func ReadReport(text []byte) (report.Report, error) {
	var r report.Report
	if err := decode(text, &r, report.Schema); err != nil {
		return report.Report{}, err
	}
	if r.Job == "" || r.GeneratedAt.IsZero() {
		return report.Report{}, errors.New("it names no job or no time")
	}
	return r, nil
}

// ReadPlan reads plan.json.
func ReadPlan(text []byte) (p judge.Plan, err error) {
	err = decode(text, &p, judge.PlanSchema)
	return p, err
}

// ReadDoctor reads what twiceproof doctor --json printed.
func ReadDoctor(text []byte) (d Doctor, err error) {
	err = decode(text, &d, DoctorSchema)
	return d, err
}

// decode wants one JSON object of this schema. Fields that are not known are left: under
// one name they are only added.
func decode(text []byte, into any, schema string) error {
	var named struct {
		Schema string `json:"schema"`
	}
	switch err := json.Unmarshal(text, &named); {
	case err != nil:
		return fmt.Errorf("it is no sound JSON: %w", err)
	case named.Schema == "":
		return fmt.Errorf("it names no schema, and %s is wanted", schema)
	case named.Schema != schema:
		return fmt.Errorf("its schema is %q, and this version reads %s", named.Schema, schema)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("it is not of the form of %s: %w", schema, err)
	}
	return nil
}
