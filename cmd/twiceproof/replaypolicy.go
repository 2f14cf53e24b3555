package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

// policyFlags are another policy than the job file's, and what only that one needs to
// know, so that it can be seen before it is chosen.
type policyFlags struct {
	policy, settle, referenceWindow string
}

func (f *policyFlags) define(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.policy, "policy", "", "replay under another `policy` than the job file's: lookup, resend, hold, accept_duplicate or accept_miss")
	cmd.Flags().StringVar(&f.settle, "settle", "", "with --policy lookup: how `long` the service may need until it shows a call, such as 30s")
	cmd.Flags().StringVar(&f.referenceWindow, "reference-window", "", "with --policy resend: how `long` the service remembers a reference, such as 24h")
}

// words are the flags as they were given.
func (f policyFlags) words() (words []string) {
	for _, flag := range []struct{ name, value string }{{"--policy", f.policy}, {"--settle", f.settle}, {"--reference-window", f.referenceWindow}} {
		if flag.value != "" {
			words = append(words, flag.name, flag.value)
		}
	}
	return words
}

// apply gives the job file with the policy in it. What is wrong is said of the flags:
// the changed text is in no file that a line could point to.
func (f policyFlags) apply(spec *jobfile.Replay, file *jobfile.File, text []byte) (*jobfile.File, []byte, error) {
	if f.policy == "" && f.settle == "" && f.referenceWindow == "" {
		return file, text, nil
	}
	j, err := f.jobOf(spec, file)
	if err != nil {
		return nil, nil, err
	}
	if text, err = jobfile.WithPolicy(text, j, j.Stale.Policy); err == nil {
		file, err = jobfile.Parse(spec.JobFilePath(), text)
	}
	if err != nil {
		return nil, nil, &hinted.Error{What: "--policy " + f.policy + " cannot be written into the job file", Hint: "change stale_claim in the job file itself"}
	}
	return file, text, nil
}

// jobOf is the job with the policy.
func (f policyFlags) jobOf(spec *jobfile.Replay, file *jobfile.File) (j job.Job, err error) {
	if err = f.check(); err != nil {
		return j, err
	}
	if j, err = file.Job(spec.Job); err != nil { // said of the replay file, which names it
		return spec.JobOf(file)
	}
	switch {
	case j.Effect.Kind == job.OwnRow:
		return j, &hinted.Error{What: "an own row needs no policy: claim, row and completion are one transaction", Hint: "leave --policy out"}
	case spec.Environment.JobFile == "":
		return j, &hinted.Error{
			What: "--policy has no way to reach the workers",
			Hint: "name the variable that carries the job file's path under environment.job_file in the replay file",
		}
	}
	err = f.set(&j)
	return j, err
}

// check holds the flags against each other.
func (f policyFlags) check() error {
	policy := job.Policy(f.policy)
	switch {
	case f.settle != "" && policy != job.Lookup:
		return &hinted.Error{What: "--settle goes with --policy lookup only", Hint: "only a look-up waits until the service shows a call"}
	case f.referenceWindow != "" && policy != job.Resend:
		return &hinted.Error{What: "--reference-window goes with --policy resend only", Hint: "only resend counts on the service to remember a reference"}
	}
	switch policy {
	case job.Lookup, job.Resend, job.Hold, job.AcceptDuplicate, job.AcceptMiss:
		return nil
	}
	return &hinted.Error{What: fmt.Sprintf("--policy: there is no policy %q", f.policy), Hint: "write lookup, resend, hold, accept_duplicate or accept_miss"}
}

// set gives the job the policy, and drops those settings that only the old one has.
func (f policyFlags) set(j *job.Job) error {
	s := &j.Stale
	s.Policy = job.Policy(f.policy)
	if s.Policy != job.Lookup {
		s.Settle, s.MaxLookups = 0, 0
	}
	if s.Policy != job.Resend {
		s.ReferenceWindow = 0
	}
	if err := errors.Join(setDuration(&s.Settle, "--settle", f.settle), setDuration(&s.ReferenceWindow, "--reference-window", f.referenceWindow)); err != nil {
		return err
	}
	switch {
	case s.Policy == job.Lookup && s.Settle == 0:
		return &hinted.Error{What: "policy lookup needs a settle time, and the job file has none", Hint: "give --settle 30s: how long the service needs until a look-up shows a call"}
	case s.Policy == job.Resend && s.ReferenceWindow == 0:
		return &hinted.Error{What: "policy resend needs a reference window, and the job file has none", Hint: "give --reference-window 24h: how long the service remembers a reference"}
	}
	if problems := (job.Problems)(nil); errors.As(j.Validate(), &problems) {
		return &hinted.Error{What: fmt.Sprintf("--policy %s does not fit the job: %s", f.policy, problems[0].What), Hint: problems[0].Hint}
	}
	return nil
}

func setDuration(d *time.Duration, flag, text string) error {
	if text == "" {
		return nil
	}
	length, err := jobfile.ParseDuration(text)
	if wrong := (*jobfile.DurationError)(nil); errors.As(err, &wrong) {
		return &hinted.Error{What: flag + ": " + wrong.Error(), Hint: wrong.Hint}
	}
	if err == nil && length == 0 {
		return &hinted.Error{What: flag + " must be longer than nothing", Hint: "write one such as 30s or 24h"}
	}
	*d = length
	return err
}
