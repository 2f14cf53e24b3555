package note

import (
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/report"
)

// Input is what a note is made of.
type Input struct {
	Job   job.Job
	Table string
	// JobFile is the job file as it was named, for the commands on the page.
	JobFile string
	// Version is that of the tool which makes the note.
	Version string
	// Part says that the evidence is of a part of a replay by its very place.
	Part bool
	// Report and Plan are the replay's; a nil Plan was not there.
	Report report.Report
	Plan   *judge.Plan
	// Again are the plan's cases, judged once more from their stored histories.
	Again []judge.Result
	// Altered are the files of the evidence that are not as the replay left them.
	Altered []string
	// Since is what has become of the code.
	Since Since
	// Doctor is nil where nobody has looked at the settings.
	Doctor *Doctor
}

// Since is what has become of the replayed code, by the files' names.
type Since struct {
	Changed []string
	// New are files that were not there.
	New []string
	// Untold is why nobody can tell.
	Untold string
}

// Note is the finished note.
type Note struct {
	Input
	// Shown is yes, no or unknown.
	Shown Shown
	// Doubts are why it is not yes.
	Doubts []Doubt
	// Remarks are worth knowing, and no reason to doubt.
	Remarks []string
	Checks  []Check
}

// Shown says whether the replay showed what the page says.
type Shown string

// What was shown.
const (
	Yes     Shown = "yes"
	No      Shown = "no"
	Unknown Shown = "unknown"
)

// New makes the note. The worst doubt decides: what was seen to be wrong counts also when
// something else could not be told.
func New(in Input) Note {
	n := Note{Input: in, Shown: Yes, Checks: checksOf(in), Doubts: doubtsOf(in), Remarks: remarksOf(in)}
	for _, d := range n.Doubts {
		if d.Shown == No || n.Shown == Yes {
			n.Shown = d.Shown
		}
	}
	return n
}
