package main

import (
	"strings"
	"testing"
	"time"
)

const printed = `goos: linux
goarch: amd64
pkg: github.com/twiceproof/twiceproof/wire/pgwire
cpu: Some CPU
BenchmarkProxy/insert-2   100   1000 ns/op   90.00 p50-direct-µs   150.0 p99-added-µs
PASS
pkg: github.com/twiceproof/twiceproof/wire/httpwire
BenchmarkProxy-2   100   1000 ns/op   925.0 p99-added-µs
BenchmarkOther-2   100   1000 ns/op
`

func TestFigures(t *testing.T) {
	wires, machine, err := readWires(strings.NewReader(printed))
	if err != nil {
		t.Fatal(err)
	}
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	w := workload{example: "celery-charge"}
	rows := append(w.rows([]took{
		{"new/sequential", ms(1300), ms(500), ms(90), 1}, {"new/concurrent", ms(7000), ms(900), ms(2000), 104}, {"new/shutdown", ms(1100), ms(1000), ms(80), 1},
		{"new/keyless", ms(600), ms(400), ms(70), 1}, {"new/every_step", ms(29900), ms(9000), ms(11000), 9},
	}), wires...)
	var out strings.Builder
	if err := write(&out, page{day: "2001-02-03", machine: machine, load: "0.10 before, 1.90 after", rows: rows}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Written by `make bench-replay` on 2001-02-03; Some CPU, linux/amd64; load average 0.10 before, 1.90 after.",
		"| a case without the workers' start, median of 3 | celery-charge | 200 ms | ≤ 250 ms | 80 ms |",
		"| concurrent, 104 runs, without the workers' start | celery-charge | 6.1 s | ≤ 5.0 s: missed | 2.0 s |",
		"| every_step, rung durable, 9 places, cold | celery-charge | 29.9 s | ≤ 30.0 s | 11.0 s |",
		"| a proxy adds to a round trip, p99 | pgwire, insert | 150 µs | ≤ 200 µs | – |",
		"| a proxy adds to a round trip, p99 | httpwire | 925 µs | ≤ 200 µs: missed | – |",
	} {
		if !strings.Contains(out.String(), want+"\n") && !strings.Contains(out.String(), want+" Do not edit.") {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if _, _, err := readWires(strings.NewReader("PASS\n")); err == nil {
		t.Error("figures of nothing")
	}
}
