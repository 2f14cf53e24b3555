// Command report turns the output of the benchmarks, on standard input, into
// docs/benchmarks.md, on standard output: each aim beside what was measured.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"
)

func main() {
	if err := report(os.Stdin, os.Stdout, time.Now()); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func report(in io.Reader, out io.Writer, now time.Time) error {
	measured, machine, err := read(in)
	if err != nil {
		return err
	}
	if len(measured) == 0 {
		return fmt.Errorf("no benchmark in the input reported a ratio")
	}
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, head, now.UTC().Format("2006-01-02"), machine)
	for _, r := range rows {
		r.write(w, measured)
	}
	fmt.Fprint(w, tail)
	return w.Flush()
}

// measure is one benchmark's ratio, the median of its runs.
type measure struct {
	bench   string // such as OwnRow
	keys    map[string]string
	detail  string // the keys as they stand in the name
	runs    []float64
	guarded []float64
	other   []float64 // a second, what it is compared with
}

func read(in io.Reader) (all []*measure, machine string, err error) {
	reader := benchfmt.NewReader(in, "standard input")
	by := map[string]*measure{}
	for reader.Scan() {
		r, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		ratio, ok := r.Value("ratio")
		if !ok {
			continue
		}
		if machine == "" {
			machine = r.GetConfig("cpu") + ", " + r.GetConfig("goos") + "/" + r.GetConfig("goarch")
		}
		name := string(r.Name)
		m := by[name]
		if m == nil {
			m = parse(name)
			by[name] = m
			all = append(all, m)
		}
		guarded, _ := r.Value("guarded/s")
		other, _ := r.Value("other/s")
		m.runs, m.guarded, m.other = append(m.runs, ratio), append(m.guarded, guarded), append(m.other, other)
	}
	return all, machine, reader.Err()
}

// parse takes a name such as OwnRow/db=postgres/workers=8-2 apart.
func parse(name string) *measure {
	m := &measure{keys: map[string]string{}}
	parts := strings.Split(name, "/")
	m.bench = parts[0]
	var words []string
	for i, part := range parts[1:] {
		if dash := strings.LastIndex(part, "-"); i == len(parts)-2 && dash > 0 { // the number of processors
			if _, err := strconv.Atoi(part[dash+1:]); err == nil {
				part = part[:dash]
			}
		}
		if key, value, ok := strings.Cut(part, "="); ok {
			m.keys[key] = value
			words = append(words, key+" "+value)
		}
	}
	m.detail = strings.Join(words, ", ")
	return m
}

func (m *measure) ratio() float64 { return median(m.runs) }

func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}
