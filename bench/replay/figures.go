package main

import (
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/perf/benchfmt"
)

// row is one figure beside its aim.
type row struct {
	what, where string
	got, aim    time.Duration
	processors  time.Duration // of which it took so much; 0: not measured
}

// The aims, on two processors that have nothing else to do.
const (
	aimOverhead = 250 * time.Millisecond
	aimRaces    = 5 * time.Second // of 100 runs
	aimSteps    = 30 * time.Second
	aimWire     = 200 * time.Microsecond
)

func (w workload) rows(cases []took) (rows []row) {
	var overheads, used []time.Duration
	for _, t := range cases {
		switch t.name {
		case races:
			rows = append(rows, row{fmt.Sprintf("concurrent, %d runs, without the workers' start", t.runs), w.example, t.overhead(), aimRaces, t.processors})
		case steps:
			if w.example != "sqs-charge" { // whose workers are Go's and start at once
				rows = append(rows, row{fmt.Sprintf("every_step, rung durable, %d places, cold", t.runs), w.example, t.whole, aimSteps, t.processors})
			}
		default:
			overheads, used = append(overheads, t.overhead()), append(used, t.processors)
		}
	}
	if len(overheads) == 0 {
		return rows
	}
	return append(rows, row{
		fmt.Sprintf("a case without the workers' start, median of %d", len(overheads)), w.example, median(overheads), aimOverhead, median(used),
	})
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

// readWires finds what the proxies add to a round trip.
func readWires(in io.Reader) (rows []row, machine string, err error) {
	reader := benchfmt.NewReader(in, "standard input")
	for reader.Scan() {
		r, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		added, ok := r.Value("p99-added-µs")
		if !ok {
			continue
		}
		machine = r.GetConfig("cpu") + ", " + r.GetConfig("goos") + "/" + r.GetConfig("goarch")
		where := path.Base(r.GetConfig("pkg"))
		if _, parts := r.Name.Parts(); len(parts) > 0 && parts[0][0] == '/' { // else it is the number of processors
			where += ", " + string(parts[0][1:])
		}
		rows = append(rows, row{"a proxy adds to a round trip, p99", where, time.Duration(added * float64(time.Microsecond)), aimWire, 0})
	}
	if len(rows) == 0 && reader.Err() == nil {
		return nil, "", fmt.Errorf("no benchmark of a proxy in the input")
	}
	return rows, machine, reader.Err()
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
