package change

import (
	"io/fs"
	"path"
	"regexp"

	"github.com/goccy/go-yaml"
)

// replayName is the replay file of a folder's first job.
const replayName = "twiceproof.replay.yaml"

var plainFolder = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// besideOf is the job's own part in the names of its files where the folder's replay file
// says that it is of another job; empty: the names are free, or this job's own.
func besideOf(r Request) (string, error) {
	var there struct{ Job string }
	text, _ := fs.ReadFile(r.Repository, replayName) // what cannot be read is in the way, and init says so
	if err := yaml.Unmarshal(text, &there); err != nil || there.Job == "" || there.Job == r.Job.Type {
		return "", nil //nolint:nilerr // likewise
	}
	if !plainFolder.MatchString(r.Job.Type) {
		return "", problem("the replay file that is here is of another job, and this one's name is none for a file beside it: "+quoted(r.Job.Type),
			"call the job by ASCII letters, digits, . _ and -, such as refund.create")
	}
	return r.Job.Type, nil
}

// place is where a file of this job's own stands.
func (r Request) place(name string) string { return path.Join("twiceproof", r.beside, name) }

func (r Request) replayFile() string {
	if r.beside != "" {
		return "twiceproof." + r.beside + ".replay.yaml"
	}
	return replayName
}
