package main

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/replay"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/report"
)

// takeEvidence makes the folder, for this replay alone.
func takeEvidence(e report.Evidence) (release func(), err error) {
	release, err = e.Lock()
	if errors.Is(err, report.ErrInUse) {
		return nil, &hinted.Error{What: "another replay is writing its evidence into " + e.Folder, Hint: "wait until it has ended, or name another folder with --evidence"}
	}
	return release, evidenceProblem(err)
}

func startEvidence(e report.Evidence, p judge.Plan, r report.Report) error {
	err := e.Start(p)
	if err == nil {
		err = e.WriteIncomplete(r)
	}
	return evidenceProblem(err)
}

func keepEvidence(e report.Evidence, k replay.Kept, r report.Report) error {
	err := e.WriteCase(k)
	if err == nil {
		err = e.WriteIncomplete(r)
	}
	return evidenceProblem(err)
}

func evidenceProblem(err error) error {
	if err == nil {
		return nil
	}
	return &hinted.Error{What: "the evidence cannot be written: " + err.Error(), Hint: "name a folder that can be written to with --evidence"}
}

// evidenceFolder keeps apart what must not be mixed: the replay of the job as it is
// written, that of another policy, and a part of it.
func (f replayFlags) evidenceFolder(r replay.Request) string {
	folder := f.wholeFolder(r)
	if len(f.only) > 0 {
		folder = filepath.Join(folder, partFolder)
	}
	return folder
}

const partFolder = "only"

func (f replayFlags) wholeFolder(r replay.Request) string {
	folder := f.evidenceBase(r)
	if f.policy != "" {
		folder = filepath.Join(folder, "policy-"+f.policy)
	}
	if f.fast {
		folder = filepath.Join(folder, "fast")
	}
	return folder
}

// failedLast is what is run first, by what the whole replay and a part of it have left.
func (f replayFlags) failedLast(r replay.Request, plan judge.Plan) []string {
	whole := f.wholeFolder(r)
	return report.FailedLast(plan, report.Evidence{Folder: whole}, report.Evidence{Folder: filepath.Join(whole, partFolder)})
}

func (f replayFlags) evidenceBase(r replay.Request) string {
	if f.evidence != "" {
		return f.evidence
	}
	return filepath.Join(filepath.Dir(r.Spec.JobFilePath()), evidenceName, folderName(r.Job.Type))
}

// evidenceName is the folder of all jobs' evidence, beside the job file.
const evidenceName = "evidence"

// evidenceRoot has the evidence of other jobs in it, too, which is no code either.
func (f replayFlags) evidenceRoot(r replay.Request) string {
	if f.evidence != "" {
		return f.evidence
	}
	return filepath.Dir(f.evidenceBase(r))
}

// folderName is a job type as the name of one folder, escaped as an operation key is: a
// job may be named ../charge, and its evidence stays below evidence/ all the same.
func folderName(jobType string) string {
	name := strings.NewReplacer("%", "%25", "/", "%2F", `\`, "%5C").Replace(jobType)
	if strings.HasPrefix(name, ".") {
		name = "%2E" + name[1:]
	}
	return name
}
