package main

import (
	"fmt"
	"io"
	"path"
	"time"

	"golang.org/x/perf/benchfmt"
)

// wire is what one proxy adds to one kind of round trip.
type wire struct {
	where string
	// direct is a round trip without it, added what it adds; floor is what two of those
	// without it differ by.
	direct, added, floor map[string]time.Duration // by "p50" and "p99"
}

// said is the aim and whether it is reached, where that can be told: not where the machine
// does as much to a round trip without a proxy.
func (w wire) said() string {
	switch {
	case w.floor["p99"] > aimWire:
		return "≤ " + duration(aimWire) + ": not to be told"
	case w.added["p99"] > aimWire:
		return "≤ " + duration(aimWire) + ": missed"
	}
	return "≤ " + duration(aimWire)
}

// readWires finds what the proxies add.
func readWires(in io.Reader) (wires []wire, machine string, err error) {
	reader := benchfmt.NewReader(in, "standard input")
	for reader.Scan() {
		r, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		if _, ok := r.Value("p99-added-µs"); !ok {
			continue
		}
		machine = r.GetConfig("cpu") + ", " + r.GetConfig("goos") + "/" + r.GetConfig("goarch")
		wires = append(wires, readWire(r))
	}
	if len(wires) == 0 && reader.Err() == nil {
		return nil, "", fmt.Errorf("no benchmark of a proxy in the input")
	}
	return wires, machine, reader.Err()
}

func readWire(r *benchfmt.Result) wire {
	w := wire{where: path.Base(r.GetConfig("pkg"))}
	if _, parts := r.Name.Parts(); len(parts) > 0 && parts[0][0] == '/' { // else it is the number of processors
		w.where += ", " + string(parts[0][1:])
	}
	of := func(what string) map[string]time.Duration {
		values := map[string]time.Duration{}
		for _, share := range []string{"p50", "p99"} {
			µs, _ := r.Value(share + "-" + what + "-µs") // all are printed together
			values[share] = time.Duration(µs * float64(time.Microsecond))
		}
		return values
	}
	w.direct, w.added, w.floor = of("direct"), of("added"), of("floor")
	return w
}
