package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/note"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/report"
)

// input reads everything that the note is made of.
func (f noteFlags) input(ctx context.Context) (in note.Input, err error) {
	file, err := loadNamed(f.file)
	if err != nil {
		return in, err
	}
	if in.Job, err = file.Job(f.job); err != nil {
		return in, severalJobs(err, file, f.job)
	}
	in.Table, in.JobFile, in.Version = file.Table, f.file, version()
	folder := f.evidence
	if folder == "" {
		folder = filepath.Join(filepath.Dir(f.file), evidenceName, folderName(in.Job.Type))
	}
	in.Part = filepath.Base(folder) == "only"
	if in.Report, err = reportIn(folder, in.Job.Type); err != nil {
		return in, err
	}
	if in.Plan, err = planIn(folder); err != nil {
		return in, err
	}
	if in.Doctor, err = f.readDoctor(); err != nil {
		return in, err
	}
	evidence := report.Evidence{Folder: folder}
	in.Altered = evidence.Altered(in.Report)
	if in.Plan != nil {
		in.Again, err = judgedAgain(evidence)
	}
	in.Since = codeSince(ctx, in.Report.Tree, filepath.Dir(f.file), f.file, folder, filepath.Join(filepath.Dir(f.file), evidenceName), f.out, f.doctor)
	return in, errors.Join(err, ctx.Err())
}

func judgedAgain(evidence report.Evidence) (results []judge.Result, err error) {
	stored, err := evidence.ReadStored(func(string) bool { return true })
	if err != nil {
		return nil, unreadEvidence(err)
	}
	for _, s := range stored {
		results = append(results, s.Judge())
	}
	return results, nil
}

// loadNamed: the job file's own hint is for a folder, which these commands do not take.
func loadNamed(path string) (*jobfile.File, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, &hinted.Error{What: path + ": no such file", Hint: "name the job file with --file, or go to the folder that has it; the README shows a small one"}
	}
	return jobfile.Load(path)
}

// severalJobs: which of them is asked for is for --job to say.
func severalJobs(err error, file *jobfile.File, jobType string) error {
	if jobType != "" || len(file.Jobs) < 2 {
		return err
	}
	problem := jobfile.Errors(err)[0]
	return &hinted.Error{What: problem.Error(), Hint: "name one with --job; " + problem.Hint}
}

func reportIn(folder, jobType string) (report.Report, error) {
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return report.Report{}, &hinted.Error{What: folder + " is no folder", Hint: "name the evidence folder, in which result.json is"}
	}
	for _, name := range []string{"result.json", "incomplete.json"} {
		path := filepath.Join(folder, name)
		text, err := readEvidence(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		r, err := parsed(path, text, err, note.ReadReport)
		return r, err
	}
	return report.Report{}, &hinted.Error{
		What: fmt.Sprintf("there is no evidence of a replay of %s in %s, so nothing is shown", jobType, folder),
		Hint: "run twiceproof replay first, or name the folder with --evidence",
	}
}

func planIn(folder string) (*judge.Plan, error) {
	path := filepath.Join(folder, "plan.json")
	text, err := readEvidence(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // the note says that there is none
	}
	plan, err := parsed(path, text, err, note.ReadPlan)
	return &plan, err
}

func (f noteFlags) readDoctor() (*note.Doctor, error) {
	if f.doctor == "" {
		return nil, nil //nolint:nilnil // nobody has looked
	}
	text, err := readEvidence(f.doctor)
	doctor, err := parsed(f.doctor, text, err, note.ReadDoctor)
	return &doctor, err
}

// maxEvidence is far more than any of the files has.
const maxEvidence = 64 << 20

func readEvidence(path string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // a named pipe would be waited for
		return nil, errors.New("it is no regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxEvidence+1))
	if err == nil && len(text) > maxEvidence {
		err = errors.New("it is larger than any evidence")
	}
	return text, err
}

func parsed[T any](path string, text []byte, err error, parse func([]byte) (T, error)) (value T, _ error) {
	if err == nil {
		value, err = parse(text)
	}
	if err != nil {
		return value, &hinted.Error{What: path + " cannot be used: " + err.Error(), Hint: "let the command that made it make it again"}
	}
	return value, nil
}
