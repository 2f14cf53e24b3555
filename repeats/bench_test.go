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

// BenchmarkExport has the same export read by this, by DuckDB (one connection, all
// cores) and by sort | uniq -c. The others count repeated references and no more.
func BenchmarkExport(b *testing.B) {
	path, want, size := export(b)
	b.Run("twiceproof", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			if r := scanCSV(b, path); r.Repeats() != want {
				b.Fatalf("%d repeats, want %d", r.Repeats(), want)
			}
		}
	})
	b.Run("duckdb", func(b *testing.B) {
		python := duckDB(b)
		b.SetBytes(size)
		const query = "SELECT count(*) FROM (SELECT reference, count(*) n, min(created_at), max(created_at) FROM read_csv('%s') GROUP BY 1 HAVING n > 1)"
		program := "import duckdb; print(duckdb.connect().execute(\"" + fmt.Sprintf(query, path) + "\").fetchall()[0][0])"
		for b.Loop() {
			counts(b, want, exec.CommandContext(b.Context(), python, "-c", program))
		}
	})
	b.Run("sort_uniq", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			c := exec.CommandContext(b.Context(), "sh", "-c", `cut -d, -f2 "$1" | LC_ALL=C sort | uniq -c | awk '$1 > 1' | wc -l`, "sh", path)
			counts(b, want, c)
		}
	})
}

func counts(b *testing.B, want int, c *exec.Cmd) {
	b.Helper()
	out, err := c.Output()
	if got := strings.TrimSpace(string(out)); err != nil || got != strconv.Itoa(want) {
		b.Fatalf("%q, want %d; %v", got, want, err)
	}
}

// duckDB is a Python that has DuckDB: TWICEPROOF_DUCKDB, or python3.
func duckDB(tb testing.TB) string {
	tb.Helper()
	python := os.Getenv("TWICEPROOF_DUCKDB")
	if python == "" {
		python = "python3"
	}
	if err := exec.CommandContext(tb.Context(), python, "-c", "import duckdb").Run(); err != nil {
		tb.Skip("no Python with DuckDB: python3 -m venv v && v/bin/pip install duckdb sqlglot, and TWICEPROOF_DUCKDB=v/bin/python")
	}
	return python
}
