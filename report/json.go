package report

import (
	_ "embed"
	"encoding/json"
	"io"
	"time"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// Schema names the form of the JSON report. A field is only ever added under it.
const Schema = "twiceproof.replay/1"

// JSONSchema describes the JSON report.
//
//go:embed replay.schema.json
var JSONSchema []byte

// Report is a finished replay as it is shown.
type Report struct {
	Schema string `json:"schema"`
	// GeneratedAt is when the replay began.
	GeneratedAt time.Time `json:"generated_at"`
	ToolVersion string    `json:"tool_version"`
	// Tree is the state of the code that was replayed; nil where it is not in git.
	Tree *Tree `json:"tree,omitempty"`
	// Complete is false as long as cases are missing: of a replay that still runs, or
	// was interrupted.
	Complete   bool   `json:"complete"`
	Job        string `json:"job"`
	Queue      string `json:"queue"`
	Database   string `json:"database"`
	Policy     string `json:"policy"`
	PolicyText string `json:"policy_text"`
	LeaseMS    int64  `json:"lease_ms"`
	// StoredLeaseMS is the lease as the record keeps it: under lookup with the settle
	// time.
	StoredLeaseMS int64             `json:"stored_lease_ms"`
	Judged        string            `json:"judged"` // the version that the exit status is about
	Verdict       string            `json:"verdict"`
	Platform      map[string]string `json:"platform"`
	CannotSee     []string          `json:"cannot_see"`
	Results       []judge.Result    `json:"results"`
	// Files are the SHA-256 of plan.json and of each history, by their names in the
	// folder: so that the parts of two replays are not taken for one.
	Files map[string]string `json:"files,omitempty"`
	// Fast: by --fast, workers were forked where that could be; Platform says of which version.
	Fast bool `json:"fast,omitempty"`
	// RerunHow says in a sentence how and where the rerun commands are typed.
	RerunHow string `json:"rerun_how,omitempty"`
}

// Tree is a commit, and whether something in the tree differed from it.
type Tree struct {
	Commit string `json:"commit"`
	Dirty  bool   `json:"dirty"`
	// Folder is that of the replay file, below the top of the tree.
	Folder string `json:"folder,omitempty"`
	// Changed are the files below Folder that differed from the commit, with the SHA-256
	// of what they held; empty: the file was not there.
	Changed map[string]string `json:"changed,omitempty"`
}

// WriteJSON writes the report with its schema's name in it.
func WriteJSON(w io.Writer, r Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
