package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// row is one figure beside its aim.
type row struct {
	what, where string
	got, aim    time.Duration // no aim: 0
	processors  time.Duration // of which it took so much; 0: it is part of another one
}

// The aims, on two processors that have nothing else to do.
const (
	aimOverhead = 250 * time.Millisecond
	aimRaces    = 5 * time.Second // of 100 runs
	aimSteps    = 30 * time.Second
	aimFast     = 10 * time.Second
	aimWire     = 200 * time.Microsecond
)

func (w workload) rows(cases []took) (rows []row) {
	var overheads, replays, used, starts []time.Duration
	how, aim := "cold", aimSteps
	if w.fast {
		how, aim = "--fast", aimFast
	}
	for _, t := range cases {
		starts = append(starts, map[bool][]time.Duration{false: t.cold, true: t.fast}[w.fast]...)
		switch t.name {
		case races:
			rows = append(rows, row{fmt.Sprintf("concurrent, %d runs, without the workers' start", t.runs), w.example, t.overhead(), aimRaces, t.processors})
		case steps:
			if w.example != "sqs-charge" { // whose workers are Go's and start at once
				rows = append(rows, row{fmt.Sprintf("every_step, rung durable, %d places, %s", t.runs, how), w.example, t.whole, aim, t.processors})
			}
		default:
			overheads, replays, used = append(overheads, t.overhead()), append(replays, t.overhead()-t.own), append(used, t.processors)
		}
	}
	if len(starts) > 0 {
		rows = append(rows, row{what: fmt.Sprintf("a worker's start, %s, median of %d", how, len(starts)), where: w.example, got: median(starts)})
	}
	if len(overheads) == 0 {
		return rows
	}
	return append(rows, row{
		fmt.Sprintf("a case without the workers' start, median of %d", len(overheads)), w.example, median(overheads), aimOverhead, median(used),
	}, row{what: "the same, without what the workers do by themselves", where: w.example, got: median(replays)})
}

func median(all []time.Duration) time.Duration { return slices.Sorted(slices.Values(all))[len(all)/2] }

// processors is how long this process and those that it has waited for had a processor.
func processors() (sum time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

// loadAverage is how many programs wanted a processor in the last minute; empty where
// nobody tells.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	minute, _, _ := strings.Cut(string(text), " ")
	return minute
}
