package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/twiceproof/twiceproof/internal/hinted"
)

// check finds what is typed wrongly before anything is read.
func (f *repeatsFlags) check() error {
	kinds := 0
	for _, given := range []bool{len(f.csv) > 0, len(f.jsonl) > 0, len(f.logs) > 0, f.table != ""} {
		if given {
			kinds++
		}
	}
	preset := len(f.logs) > 0 && f.pattern != "json"
	switch {
	case f.query && f.table == "":
		return &hinted.Error{What: "--query needs --table", Hint: "name the table that the query is for"}
	case kinds == 0:
		return &hinted.Error{What: "no source is named", Hint: "give --csv, --jsonl, --log or --table; see twiceproof repeats --help"}
	case kinds > 1:
		return &hinted.Error{What: "there are sources of several kinds", Hint: "give one; a second one to hold beside it is named with --join"}
	case len(f.logs) > 0 && f.pattern == "":
		return &hinted.Error{What: "--log needs --pattern", Hint: "write --pattern sidekiq, celery, json or a regular expression with (?P<reference>…) and (?P<time>…)"}
	case !preset && f.columns.Reference == "":
		return &hinted.Error{What: "it is not said what names the operation", Hint: "give --reference, the column with the order number or the like; never the queue's message id"}
	case !preset && f.columns.Time == "":
		return &hinted.Error{What: "it is not said when it happened", Hint: "give --time, the column with the time of the effect"}
	case f.jobFile != "" && len(f.jsonl) == 0:
		return &hinted.Error{What: "--job-file needs --jsonl", Hint: "its paths lead into messages; with columns, name the key's with --key"}
	}
	if err := f.checkCauses(); err != nil {
		return err
	}
	return f.checkFiles()
}

func (f *repeatsFlags) checkCauses() error {
	switch {
	case !slices.Contains([]string{"", "sidekiq", "celery", "sqs"}, f.queue):
		return &hinted.Error{What: fmt.Sprintf("--queue: %q is not known", f.queue), Hint: "write sidekiq, celery or sqs, or leave it out"}
	case f.queue == "sidekiq" && len(f.visibility) > 0:
		return &hinted.Error{What: "--visibility-timeout does not go with --queue sidekiq, which waits for none", Hint: "leave one of them out"}
	case f.limit < 0:
		return &hinted.Error{What: "--limit is below 0", Hint: "write how many references are shown at most"}
	}
	return nil
}

// checkFiles: standard input can be read once, and a file be written once.
func (f *repeatsFlags) checkFiles() error {
	sources := slices.Concat(f.csv, f.jsonl, f.logs, []string{f.join.file, f.deploys})
	switch {
	case len(slices.DeleteFunc(sources, func(name string) bool { return name != "-" })) > 1:
		return &hinted.Error{What: "standard input is named twice", Hint: "it can be read once: write one of them into a file"}
	case f.html != "" && filepath.Clean(f.html) == filepath.Clean(f.share):
		return &hinted.Error{What: "--html and --share name the same file", Hint: "give each a name of its own"}
	}
	if err := checkNew(f.html); err != nil {
		return err
	}
	return checkNew(f.share)
}

// checkRepeatsFlags refuses every combination in which one of the flags would be passed over.
func checkRepeatsFlags(fs *pflag.FlagSet) error {
	problems := []error{aloneWith(fs, "query", "reads nothing", "table", "reference", "time", "dialect"), excludeEachOther(fs, "key", "job-file")}
	for _, need := range []struct {
		name string
		one  []string
	}{
		{"pattern", []string{"log"}}, {"dsn", []string{"table"}}, {"time-limit", []string{"table"}}, {"job", []string{"job-file"}}, {"dialect", []string{"query"}}, {"limit", []string{"show"}},
		{"join-reference", []string{"join"}}, {"join-time", []string{"join"}}, {"join-time-format", []string{"join"}}, {"join-zone", []string{"join"}},
		{"keep-identical", []string{"csv", "jsonl", "log", "join"}}, // rows of a table are never taken for one
	} {
		problems = append(problems, needsOne(fs, need.name, need.one...))
	}
	return cmp.Or(problems...)
}
