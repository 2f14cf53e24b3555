package doctor

import (
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

func (e *exam) sidekiq(s Sidekiq) {
	e.missing(s.Missing)
	if name := s.Fetch; name == "Sidekiq::BasicFetch" {
		e.add("sidekiq.fetch", "Sidekiq", "the fetch is %s", name)
	}
}

func (e *exam) sidekiqWorker(s Sidekiq, j job.Job) {
	if s.Timeout > 0 && s.Timeout < j.LongestRun {
		e.add("sidekiq.timeout", "Sidekiq", "timeout is %s, and %s runs for up to %s", jobfile.FormatDuration(s.Timeout), j.Type, jobfile.FormatDuration(j.LongestRun))
	}
	if s.Workers == nil {
		return // only sidekiq.yml was asked for
	}
	w, is := s.Workers[j.Message]
	if !is {
		e.gap("sidekiq.worker", "there is no class %q with sidekiq_options, which the job %s names", j.Message, j.Type)
		return
	}
	switch {
	case w.Retry == 0:
		e.add("sidekiq.no_retry", j.Message, "retry is false or 0")
	case !w.Dead:
		e.add("sidekiq.no_dead_set", j.Message, "dead is false")
	}
	if len(s.Queues) > 0 && !slices.Contains(s.Queues, w.Queue) {
		e.add("sidekiq.queue", j.Message, "its queue is %s, and sidekiq.yml works on %s", w.Queue, strings.Join(s.Queues, ", "))
	}
	if w.Unique != "" {
		e.add("sidekiq.unique", j.Message, "%s is set", w.Unique)
	}
}
