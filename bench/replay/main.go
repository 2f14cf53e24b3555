// Command replay measures what a replay costs, and writes each figure beside its aim as
// docs/bench-replay.md, on standard output. On standard input it reads what the proxies'
// benchmarks have printed; what goes on it tells on standard error.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/twiceproof/twiceproof/replay/process"
)

func main() {
	small := flag.Bool("small", false, "one case of each kind, so that it is seen to work")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	process.AdoptOrphans()
	err := measure(ctx, *small)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, small bool) error {
	wires, machine, err := readWires(os.Stdin)
	if err != nil {
		return err
	}
	load := loadAverage()
	var rows []row
	for _, w := range workloads(small) {
		fmt.Fprintln(os.Stderr, "replaying", w.example)
		cases, err := w.run(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", w.example, err)
		}
		rows = append(rows, w.rows(cases)...)
	}
	return write(os.Stdout, page{
		day: time.Now().UTC().Format("2006-01-02"), machine: machine,
		load: load + " before, " + loadAverage() + " after", rows: rows, wires: wires,
	})
}
