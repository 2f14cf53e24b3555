package main

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestReport(t *testing.T) {
	in, err := os.Open("testdata/bench.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	var out strings.Builder
	if err := report(in, &out, time.Date(2001, 2, 3, 0, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Written by `make bench` on 2001-02-03; Some CPU, linux/amd64.",
		"| db postgres, rtt 0s, workers 8 | 728 | 1703 | 0.70 | ≥ 0.68 |", // the median of three
		"| db mariadb, rtt 0s, workers 8 | 1196 | 4773 | 0.25 | ≥ 0.64: missed |",
		"| db postgres, rtt 1ms, workers 8 | 377 | 585 | 0.65 | ≥ 0.95: missed |",
		"| db mariadb, records 100000 | – | – | 0.93 | ≤ 1.30 |",
		"| db sqlite, operations 20000 | – | – | 1.20 | ≤ 1.10: missed |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if err := report(strings.NewReader("PASS\n"), &out, time.Now()); err == nil {
		t.Error("a report of nothing")
	}
}
