package main

import (
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/replay/judge"
)

const printed = `goos: linux
goarch: amd64
pkg: github.com/twiceproof/twiceproof/wire/pgwire
cpu: Some CPU
BenchmarkProxy/insert-2   100   1000 ns/op   90.00 p50-direct-µs   20.5 p50-added-µs   150.0 p99-added-µs   12.0 p99-floor-µs
PASS
pkg: github.com/twiceproof/twiceproof/wire/httpwire
BenchmarkProxy-2   100   1000 ns/op   30.00 p50-direct-µs   60.0 p50-added-µs   925.0 p99-added-µs   100.0 p99-floor-µs
BenchmarkProxy/loaded-2   100   1000 ns/op   30.00 p50-direct-µs   60.0 p50-added-µs   -925.0 p99-added-µs   300.0 p99-floor-µs
BenchmarkOther-2   100   1000 ns/op
`

func TestFigures(t *testing.T) {
	wires, machine, err := readWires(strings.NewReader(printed))
	if err != nil {
		t.Fatal(err)
	}
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	start := func(d time.Duration) []time.Duration { return []time.Duration{d} }
	rows := workload{example: "celery-charge"}.rows([]took{
		{"new/sequential", ms(1300), ms(500), ms(90), 1, start(ms(500)), nil, ms(100)}, {"new/concurrent", ms(7000), ms(900), ms(2000), 104, nil, nil, 0},
		{"new/shutdown", ms(1100), ms(1000), ms(80), 1, nil, nil, 0}, {"new/keyless", ms(600), ms(400), ms(70), 1, nil, nil, 0},
		{"new/every_step", ms(29900), ms(9000), ms(11000), 9, nil, nil, 0},
	})
	rows = append(rows, workload{example: "celery-charge", fast: true}.rows([]took{
		{"new/every_step", ms(10100), ms(900), ms(4000), 9, start(ms(700)), start(ms(90)), 0},
	})...)
	var out strings.Builder
	if err := write(&out, page{day: "2001-02-03", machine: machine, load: "0.10 before, 1.90 after", rows: rows, wires: wires}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Written by `make bench-replay` on 2001-02-03; Some CPU, linux/amd64; load average 0.10 before, 1.90 after.",
		"| a case without the workers' start, median of 3 | celery-charge | 200 ms | ≤ 250 ms | 80 ms |",
		"| the same, without what the workers do by themselves | celery-charge | 200 ms | – | – |",
		"| concurrent, 104 runs, without the workers' start | celery-charge | 6.1 s | ≤ 5.0 s: missed | 2.0 s |",
		"| every_step, rung durable, 9 places, cold | celery-charge | 29.9 s | ≤ 30.0 s | 11.0 s |",
		"| a worker's start, cold, median of 1 | celery-charge | 500 ms | – | – |",
		"| every_step, rung durable, 9 places, --fast | celery-charge | 10.1 s | ≤ 10.0 s: missed | 4.0 s |",
		"| a worker's start, --fast, median of 1 | celery-charge | 90 ms | – | – |",
		"| pgwire, insert | 90 µs | 20 µs | 150 µs | 12 µs | ≤ 200 µs |",
		"| httpwire | 30 µs | 60 µs | 925 µs | 100 µs | ≤ 200 µs: missed |",
		"| httpwire, loaded | 30 µs | 60 µs | -925 µs | 300 µs | ≤ 200 µs: not to be told |",
	} {
		if !strings.Contains(out.String(), want+"\n") && !strings.Contains(out.String(), want+" Do not edit.") {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if _, _, err := readWires(strings.NewReader("PASS\n")); err == nil {
		t.Error("figures of nothing")
	}
}

// What a worker waits for is not its own work, and what it says to the queue is no part of it.
func TestOwnWork(t *testing.T) {
	step := func(ms int64, worker, what, step string) judge.Event {
		return judge.Event{MS: ms, Event: judge.EventStep, Worker: worker, What: what, Step: step}
	}
	got := ownWork([]judge.Event{
		step(100, "A", "passed", "queue BRPOP #1"), step(105, "B", "passed", "queue BRPOP #1"),
		step(140, "A", "request", "database INSERT #1"), step(190, "A", "passed", "database INSERT #1"),
		step(191, "A", "request", "outside POST /charges #1"), step(991, "A", "passed", "outside POST /charges #1"),
		step(999, "A", "request", "queue LREM #1"), {MS: 120, Event: judge.EventQueue, Worker: "A"},
	})
	if want := 41 * time.Millisecond; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
