package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/twiceproof/twiceproof/replay"
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
	case kinds == 0:
		return &replay.Problem{What: "no source is named", Hint: "give --csv, --jsonl, --log or --table; see twiceproof repeats --help"}
	case kinds > 1:
		return &replay.Problem{What: "there are sources of several kinds", Hint: "give one; a second one to hold beside it is named with --join"}
	case f.query && f.table == "":
		return &replay.Problem{What: "--query needs --table", Hint: "name the table that the query is for"}
	case len(f.logs) > 0 && f.pattern == "":
		return &replay.Problem{What: "--log needs --pattern", Hint: "write --pattern sidekiq, celery, json or a regular expression with (?P<reference>…) and (?P<time>…)"}
	case !preset && f.columns.Reference == "":
		return &replay.Problem{What: "it is not said what names the operation", Hint: "give --reference, the column with the order number or the like; never the queue's message id"}
	case !preset && f.columns.Time == "":
		return &replay.Problem{What: "it is not said when it happened", Hint: "give --time, the column with the time of the effect"}
	case len(f.columns.Key) > 0 && f.jobFile != "":
		return &replay.Problem{What: "--key and --job-file exclude each other", Hint: "the job file has the key"}
	case f.jobFile != "" && len(f.jsonl) == 0:
		return &replay.Problem{What: "--job-file needs --jsonl", Hint: "its paths lead into messages; with columns, name the key's with --key"}
	}
	return f.checkFiles()
}

func (f *repeatsFlags) checkFiles() error {
	switch f.queue {
	case "", "sidekiq", "celery", "sqs":
	default:
		return &replay.Problem{What: fmt.Sprintf("--queue: %q is not known", f.queue), Hint: "write sidekiq, celery or sqs, or leave it out"}
	}
	if err := checkNew(f.html); err != nil {
		return err
	}
	return checkNew(f.share)
}

// goWith refuses a flag that would be passed over without another one.
func goWith(fs *pflag.FlagSet) error {
	for _, need := range []struct {
		with string
		list []string
	}{
		{"log", []string{"pattern"}}, {"table", []string{"dsn", "time-limit"}}, {"job-file", []string{"job"}}, {"query", []string{"dialect"}},
		{"join", []string{"join-reference", "join-time", "join-time-format", "join-zone"}},
	} {
		for _, name := range need.list {
			if fs.Changed(name) && !fs.Changed(need.with) {
				return &replay.Problem{What: "--" + name + " goes with --" + need.with + ", which is not given", Hint: "give --" + need.with + ", or leave it out"}
			}
		}
	}
	return nil
}
