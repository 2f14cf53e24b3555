package judge

import (
	"fmt"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// facts tells in a few lines what the looks at an operation showed, in order. A
// case with many operations is told by its numbers instead.
func facts(p Planned, events []Event) []string {
	told := []string{}
	if p.Races {
		return append(told, apart(events)...)
	}
	if len(operationsOf(events)) > 1 {
		return told
	}
	for _, e := range events {
		switch {
		case e.isLook():
			told = append(told, factOf(p, *e.Seen))
		case e.Event == EventPassed && ms(e.ForMS) >= time.Second:
			told = append(told, fmt.Sprintf("%s pass", ms(e.ForMS).Round(time.Second)))
		}
	}
	return told
}

// apart: such runs are races too, but only by chance.
func apart(events []Event) []string {
	n := len(runsApart(events))
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("in %d of %d runs one worker was at the act and the other one was waited for in vain: it waits where nobody sees it, or the machine was full", n, len(byRun(events)))}
}

func runsApart(events []Event) map[int]bool {
	runs := map[int]bool{}
	for _, e := range events {
		if e.Event == EventApart {
			runs[e.Run] = true
		}
	}
	return runs
}

func operationsOf(events []Event) map[string]bool {
	operations := map[string]bool{}
	for _, e := range events {
		if e.isLook() {
			operations[e.Operation] = true
		}
	}
	return operations
}

func factOf(p Planned, s Seen) string {
	text := fmt.Sprintf("%s: %s", lookNames[s.When], effectCount(s.Effects))
	if !p.Guarded {
		return text
	}
	if s.Records == 0 {
		return text + ", no record"
	}
	text += fmt.Sprintf(", record %s", s.State)
	switch s.State {
	case "claimed":
		text += fmt.Sprintf(", claim age %s, lease %s", ms(s.ClaimAgeMS), ms(s.LeaseMS))
	case job.EndHeld:
		text += " (" + s.HoldReason + ")"
	case job.EndCompleted:
		text += " (" + s.Completion + ")"
	}
	if s.Late {
		text += ", a late finish on record: a second effect is suspected"
	}
	if s.Queued > 0 {
		text += ", message on the queue"
	}
	return text
}

// deaf tells of workers that SIGTERM did not end: a deploy waits for them, and kills.
func deaf(events []Event) (told []string) {
	for _, e := range events {
		if e.Event == EventWorker && e.What == WorkerKilled && e.Detail != "" {
			told = append(told, fmt.Sprintf("worker %s was told to stop by SIGTERM: %s, and was killed", e.Worker, e.Detail))
		}
	}
	return told
}

// What a look is called in the report.
var lookNames = map[string]string{
	SeenFault: "at the fault", SeenYoung: "after a redelivery within the lease",
	SeenDown: "while the database could not be reached",
	SeenRipe: "past the lease", SeenTaken: "after another worker", SeenEnd: "at the end", SeenAfter: "a moment later", SeenKeyless: "at the end",
}

func effectCount(n int) string {
	if n == 1 {
		return "1 effect"
	}
	return fmt.Sprintf("%d effects", n)
}
