package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// picture is one run of a case in space and time: a lane for each who takes part, and a
// row for each thing that happened, in its order. A pure function of the history.
type picture struct {
	Lanes []string
	Rows  []pictureRow
	More  int // rows that were left out
}

// pictureRow is an arrow from one lane to another, something at one lane, or something
// across all of them.
type pictureRow struct {
	Kind     rowKind
	From, To int // lanes
	Text     string
	Fault    bool // it is what the case did to the run
}

type rowKind string

const (
	arrow  rowKind = "arrow"
	mark   rowKind = "mark"   // at the lane From
	across rowKind = "across" // of the whole
)

// mostRows bounds a picture; what comes after is counted.
const mostRows = 60

const (
	laneQueue    = "queue"
	laneDatabase = "database"
	laneOutside  = "outside"
)

// pictureOf draws the run that shows the verdict: of a case with many runs the first one
// that ended with too many effects or too few, or else the last.
func pictureOf(r judge.Result, events []judge.Event) picture {
	events = inOrder(telling(r, events))
	workers := workersIn(events)
	p := picture{Lanes: append(append([]string{laneQueue}, workers...), laneDatabase, laneOutside)}
	d := drawing{p: &p, passed: map[string]bool{}}
	for _, e := range events {
		d.draw(e)
	}
	p.Lanes = used(&p)
	if len(p.Rows) > mostRows {
		p.More = len(p.Rows) - mostRows
		p.Rows = p.Rows[:mostRows]
	}
	return p
}

// inOrder: the queue's own log is taken over late, with the times at which things happened.
// Within a millisecond a delivery is before what comes of it, and after what it comes of.
func inOrder(events []judge.Event) []judge.Event {
	delivered := map[int64]int{} // where the last delivery of the millisecond stands
	for i, e := range events {
		if e.Event == judge.EventQueue && e.What == string(queue.Received) {
			delivered[e.MS] = i
		}
	}
	var before, after []judge.Event
	for i, e := range events {
		leads := e.Event == judge.EventQueue || e.Event == judge.EventSent || e.What == judge.WorkerReady
		if last, ok := delivered[e.MS]; ok && leads && i <= last {
			before = append(before, e)
		} else {
			after = append(after, e)
		}
	}
	all := slices.Concat(before, after)
	slices.SortStableFunc(all, func(a, b judge.Event) int { return cmp.Compare(a.MS, b.MS) })
	return all
}

func telling(r judge.Result, events []judge.Event) []judge.Event {
	runs := judge.SplitRuns(events)
	if len(runs) == 0 {
		return events
	}
	for _, run := range runs {
		if slices.ContainsFunc(run, func(e judge.Event) bool {
			return e.Seen != nil && e.Seen.When == judge.SeenEnd && r.Verdict.Verdict != judge.OK && !slices.Contains(r.AllowedEffects, e.Seen.Effects)
		}) {
			return run
		}
	}
	return runs[len(runs)-1]
}

func workersIn(events []judge.Event) (names []string) {
	for _, e := range events {
		if e.Worker != "" && !slices.Contains(names, "worker "+e.Worker) {
			names = append(names, "worker "+e.Worker)
		}
	}
	slices.Sort(names)
	return names
}

// used leaves out the lanes at which nothing happened.
func used(p *picture) []string {
	at := make([]bool, len(p.Lanes))
	for _, r := range p.Rows {
		if r.Kind != across {
			at[r.From], at[r.To] = true, true
		}
	}
	to, lanes := make([]int, len(p.Lanes)), []string{}
	for i, name := range p.Lanes {
		to[i] = len(lanes)
		if at[i] {
			lanes = append(lanes, name)
		}
	}
	for i := range p.Rows {
		if p.Rows[i].Kind != across {
			p.Rows[i].From, p.Rows[i].To = to[p.Rows[i].From], to[p.Rows[i].To]
		}
	}
	return lanes
}

type drawing struct {
	p      *picture
	passed map[string]bool // steps of which the reply was drawn
}

func (d drawing) lane(name string) int { return slices.Index(d.p.Lanes, name) }

func (d drawing) add(r pictureRow) {
	if r.From >= 0 && r.To >= 0 {
		d.p.Rows = append(d.p.Rows, r)
	}
}

func (d drawing) draw(e judge.Event) {
	worker := d.lane("worker " + e.Worker)
	toQueue := d.lane(laneQueue)
	switch e.Event {
	case judge.EventSent:
		d.add(pictureRow{Kind: mark, From: toQueue, To: toQueue, Text: strings.TrimSpace("message put on " + e.Detail)})
	case judge.EventQueue:
		d.drawQueue(e, toQueue, worker)
	case judge.EventStep:
		d.drawStep(e, worker)
	case judge.EventWorker:
		d.add(pictureRow{Kind: mark, From: worker, To: worker, Text: strings.ReplaceAll(e.What, "_", " "), Fault: e.What == "killed" || e.What == "paused" || e.What == "told_to_stop"})
	case judge.EventFault:
		if e.Fired {
			d.add(pictureRow{Kind: across, Text: clip("fault: " + e.Detail), Fault: true})
		}
	case judge.EventPassed:
		if e.ForMS >= time.Second.Milliseconds() {
			d.add(pictureRow{Kind: across, Text: ms(e.ForMS).Round(time.Second).String() + " pass"})
		}
	case judge.EventSeen:
		if e.Seen != nil {
			d.add(pictureRow{Kind: across, Text: clip("seen: " + seenText(*e.Seen))})
		}
	}
}

func (d drawing) drawQueue(e judge.Event, toQueue, worker int) {
	switch e.What {
	case "received":
		d.add(pictureRow{Kind: arrow, From: toQueue, To: worker, Text: "delivery"})
	case "deleted":
		d.add(pictureRow{Kind: arrow, From: worker, To: toQueue, Text: "done with"})
	case "visibility_changed":
		d.add(pictureRow{Kind: arrow, From: worker, To: toQueue, Text: "put back for " + ms(e.ForMS).Round(time.Second).String()})
	case "visibility_over":
		d.add(pictureRow{Kind: mark, From: toQueue, To: toQueue, Text: "there again"})
	case "redelivered":
		d.add(pictureRow{Kind: mark, From: toQueue, To: toQueue, Text: "put on again by force"})
	case "lost", "dead_lettered", "gone":
		d.add(pictureRow{Kind: mark, From: toQueue, To: toQueue, Text: strings.ReplaceAll(e.What, "_", " "), Fault: e.What != "dead_lettered"})
	}
}

// drawStep draws a request when it leaves and its reply only where it did not arrive: so a
// step that went well is one arrow. What is said to the queue is in its own events.
func (d drawing) drawStep(e judge.Event, worker int) {
	peer, text, _ := strings.Cut(e.Step, " ")
	lane := d.lane(map[string]string{"database": laneDatabase, "outside": laneOutside}[peer])
	switch e.What {
	case "forwarded":
		d.add(pictureRow{Kind: arrow, From: worker, To: lane, Text: clip(text)})
	case "killed", "dropped", "held":
		d.add(pictureRow{Kind: arrow, From: lane, To: worker, Text: e.What + " here: " + clip(text), Fault: true})
	case "lost", "refused":
		d.add(pictureRow{Kind: arrow, From: lane, To: worker, Text: e.What + ": " + clip(text)})
	}
}

func clip(text string) string {
	const most = 44
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

func seenText(s judge.Seen) string {
	text := fmt.Sprintf("%d effects", s.Effects)
	if s.Effects == 1 {
		text = "1 effect"
	}
	switch {
	case s.Records == 0:
		return text
	case s.State == job.EndCompleted:
		return text + ", record completed (" + s.Completion + ")"
	case s.State == job.EndHeld:
		return text + ", record held (" + s.HoldReason + ")"
	}
	return text + ", record " + s.State
}
