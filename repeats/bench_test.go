package repeats_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/repeats/scan"
	"github.com/twiceproof/twiceproof/repeats/source"
)

// benchRows is 100 MB of CSV, or 1 GB with TWICEPROOF_FULL=1.
func benchRows() int {
	if os.Getenv("TWICEPROOF_FULL") != "" {
		return 10_000_000
	}
	return 1_000_000
}

// writeExport writes rows of about 100 bytes, of which one in a thousand repeats the
// reference of an earlier one half a minute later. It gives the repeats.
func writeExport(tb testing.TB, path string, rows int) (repeated int) {
	tb.Helper()
	file, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	w := bufio.NewWriterSize(file, 1<<20)
	fmt.Fprintln(w, "id,reference,amount,currency,created_at,description")
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	line := []byte{}
	for i := range rows {
		at = at.Add(750 * time.Millisecond)
		of := i
		if i%1000 == 999 {
			of, repeated = i-40, repeated+1
		}
		line = fmt.Appendf(line[:0], "%d,order-%09d,%d.50,EUR,", i, of, i%900)
		line = at.AppendFormat(line, "2006-01-02T15:04:05.000000Z")
		line = append(line, ",a charge for what was ordered, "...)
		line[len(line)-2] = ' '
		line = append(line, strconv.Itoa(i)...)
		line = append(line, '\n')
		_, _ = w.Write(line)
	}
	if err := errors.Join(w.Flush(), file.Close()); err != nil {
		tb.Fatal(err)
	}
	return repeated
}

func export(tb testing.TB) (path string, repeated int, size int64) {
	path = filepath.Join(tb.TempDir(), "export.csv")
	repeated = writeExport(tb, path, benchRows())
	info, err := os.Stat(path)
	if err != nil {
		tb.Fatal(err)
	}
	return path, repeated, info.Size()
}

func scanCSV(tb testing.TB, path string) *scan.Result {
	f, err := source.Open(path, nil)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	s := scan.New(scan.Options{Folder: tb.TempDir(), Limit: 20})
	defer s.Close()
	sink := s.Sink(scan.Input{Clock: &source.Clock{}})
	if err := source.CSV(f, source.Columns{Reference: "reference", Time: "created_at"}, sink); err != nil {
		tb.Fatal(err)
	}
	r, err := s.Finish(false)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

const duckDB = "SELECT count(*) FROM (SELECT reference, count(*) n, min(created_at), max(created_at) FROM read_csv('%s') GROUP BY 1 HAVING n > 1)"

// BenchmarkExport has the same export read by this, by DuckDB (one connection, all
// cores) and by sort | uniq -c, in turns, so that each has the machine as the others have
// it. The others count repeated references and no more. A ratio is how many times as fast
// as the other this was.
func BenchmarkExport(b *testing.B) {
	path, want, size := export(b)
	program := `import duckdb; c = duckdb.connect(); c.execute("SET enable_progress_bar = false"); print(c.execute("` + fmt.Sprintf(duckDB, path) + `").fetchall()[0][0])`
	readers := []reader{
		{name: "twiceproof", once: func() {
			if r := scanCSV(b, path); r.Repeats() != want {
				b.Fatalf("%d repeats, want %d", r.Repeats(), want)
			}
		}},
		{name: "sort", once: func() {
			const pipeline = `cut -d, -f2 "$1" | LC_ALL=C sort | uniq -c | awk '$1 > 1' | wc -l`
			counts(b, want, exec.CommandContext(b.Context(), "sh", "-c", pipeline, "sh", path))
		}},
		{name: "duckdb", once: func() {
			counts(b, want, exec.CommandContext(b.Context(), "../bin/python/bin/python", "-c", program)) // of make bin/python
		}},
	}
	for b.Loop() {
		for i := range readers {
			readers[i].measure(b)
		}
	}
	for _, r := range readers {
		r.report(b, float64(size)*float64(b.N)/1e6, readers[0].took)
	}
}

// reader is one that reads the export, and what it took.
type reader struct {
	name            string
	once            func()
	took, processor time.Duration
}

func (r *reader) measure(b *testing.B) {
	b.Helper()
	begun, used := time.Now(), processorTime(b)
	r.once()
	r.took, r.processor = r.took+time.Since(begun), r.processor+processorTime(b)-used
}

func (r *reader) report(b *testing.B, megabytes float64, ours time.Duration) {
	b.Helper()
	b.ReportMetric(megabytes/r.took.Seconds(), r.name+"-MB/s")
	b.ReportMetric(megabytes/r.processor.Seconds(), r.name+"-MB/cpu-s")
	if r.took != ours {
		b.ReportMetric(r.took.Seconds()/ours.Seconds(), "ratio-"+r.name)
	}
}

// processorTime is what this process and those it waited for have used. What is read in a
// second of it is the same on a machine that has other things to do.
func processorTime(b *testing.B) (sum time.Duration) {
	b.Helper()
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}

func counts(b *testing.B, want int, c *exec.Cmd) {
	b.Helper()
	out, err := c.Output()
	if got := strings.TrimSpace(string(out)); err != nil || got != strconv.Itoa(want) {
		b.Fatalf("%q, want %d; %v", got, want, err)
	}
}
