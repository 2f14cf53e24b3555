package main

import (
	"bufio"
	"fmt"
	"io"
	"time"
)

type page struct {
	day, machine, load string
	rows               []row
	wires              []wire
}

const head = `# What a replay costs

Written by ` + "`make bench-replay`" + ` on %s; %s; load average %s. Do not edit.

The examples are replayed with one slot, from cold where a line does not say --fast, on throw-away servers. How long a worker takes to start is the application's own affair and is taken
off where it says so; "missed" is what does not reach its aim. The aims are for two processors that have nothing else to do: a load average above 2 says that
others were at work beside it, and that the figures are too high. The processors' time is that of the replay and its workers, their start included. What the
workers do by themselves is from what they were answered to what they say next to the database or the outside service: with what a process loads at its first job.

| what | where | measured | aim | processors' time |
| --- | --- | ---: | --- | ---: |
`

const wiresHead = `
## What a proxy adds to a round trip

The same exchange goes directly, directly once more, and through the proxy, in turn, each on a warm connection of its own; the figures are medians of ten
batches. The floor is how far the two direct ones are apart at p99: what is below it says nothing.

| where | directly, p50 | added, p50 | added, p99 | floor, p99 | aim at p99 |
| --- | ---: | ---: | ---: | ---: | --- |
`

func write(out io.Writer, p page) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, head, p.day, p.machine, p.load)
	for _, r := range p.rows {
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", r.what, r.where, duration(r.got), r.said(), r.used())
	}
	io.WriteString(w, wiresHead) //nolint:errcheck // Flush tells
	for _, one := range p.wires {
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s |\n", one.where, duration(one.direct["p50"]),
			duration(one.added["p50"]), duration(one.added["p99"]), duration(one.floor["p99"]), one.said())
	}
	return w.Flush()
}

// used is empty of what has no processors' time of its own.
func (r row) used() string {
	if r.processors == 0 {
		return "–"
	}
	return duration(r.processors)
}

func (r row) said() string {
	switch {
	case r.aim == 0:
		return "–"
	case r.got > r.aim:
		return "≤ " + duration(r.aim) + ": missed"
	}
	return "≤ " + duration(r.aim)
}

// duration with as much of it as says something.
func duration(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%d µs", d.Microseconds())
}
