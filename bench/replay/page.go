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
}

const head = `# What a replay costs

Written by ` + "`make bench-replay`" + ` on %s; %s; load average %s. Do not edit.

The examples are replayed with one slot, from cold, on throw-away servers. How long a worker takes to start is the application's own affair and is taken
off where it says so; "missed" is what does not reach its aim. The aims are for two processors that have nothing else to do: a load average above 2 says that
others were at work beside it, and that the figures are too high. The processors' time is that of the replay and its workers, their start included.

| what | where | measured | aim | processors' time |
| --- | --- | ---: | --- | ---: |
`

func write(out io.Writer, p page) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, head, p.day, p.machine, p.load)
	for _, r := range p.rows {
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", r.what, r.where, duration(r.got), r.said(), r.used())
	}
	return w.Flush()
}

func (r row) said() string {
	if r.got > r.aim {
		return "≤ " + duration(r.aim) + ": missed"
	}
	return "≤ " + duration(r.aim)
}

func (r row) used() string {
	if r.processors == 0 {
		return "–"
	}
	return duration(r.processors)
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
