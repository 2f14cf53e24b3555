package gather

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/repeats"
)

// all are the families' references, each with its moments.
func all(t *testing.T, g *Gatherer) (found map[string][]int64, families int) {
	t.Helper()
	found = map[string][]int64{}
	err := g.Families(func(references []Reference) error {
		families++
		for _, r := range references {
			if found[string(r.Name)] != nil {
				t.Errorf("%q comes twice", r.Name)
			}
			for _, e := range r.Events {
				found[string(r.Name)] = append(found[string(r.Name)], e.At)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found, families
}

// Whatever fits into memory, every row comes back under its reference, byte for byte and
// by time, as a plain map has it.
func TestGather(t *testing.T) {
	for _, budget := range []int{1, 4 << 10, 1 << 20, Budget} {
		t.Run(fmt.Sprint(budget), func(t *testing.T) {
			folder := t.TempDir()
			g := New(folder, budget)
			defer g.Close()
			random := rand.New(rand.NewPCG(1, 2))
			want := map[string][]int64{}
			for range 60_000 {
				name := fmt.Sprintf("Order-%d\xff", random.IntN(9000))
				if random.IntN(3) == 0 {
					name = fmt.Sprintf("oRDER-%d\xff", random.IntN(9000))
				}
				at := random.Int64N(1 << 50)
				want[name] = append(want[name], at)
				if err := g.Add(name, Row{Event: repeats.Event{At: at}}); err != nil {
					t.Fatal(err)
				}
			}
			if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
				t.Errorf("files with names: %v %v", left, err)
			}
			for _, list := range want {
				slices.Sort(list)
			}
			got, families := all(t, g)
			if !maps.EqualFunc(got, want, slices.Equal) {
				t.Errorf("%d references, want %d, or other moments", len(got), len(want))
			}
			forms := map[string]bool{}
			for name := range want {
				forms[strings.ToLower(name)] = true
			}
			if families != len(forms) || families == len(want) {
				t.Errorf("%d families, want %d", families, len(forms))
			}
		})
	}
}

// What a row has comes back with it.
func TestRowsComeBackWhole(t *testing.T) {
	g := New(t.TempDir(), 1)
	defer g.Close()
	want := []repeats.Event{
		{At: 1, Message: 2, Content: 3, Key: 4, Source: 1}, {At: 2, Message: 1 << 63}, {At: 3, Content: 9}, {At: 4, Key: 1<<64 - 1}, {At: 1 << 60, Source: 1},
	}
	for i, e := range want {
		if err := g.Add("same", Row{Event: e, Line: uint64(i + 1), File: uint16(i * 1000)}); err != nil {
			t.Fatal(err)
		}
	}
	_ = g.Families(func(references []Reference) error {
		if !slices.Equal(references[0].Events, want) {
			t.Errorf("%+v", references[0].Events)
		}
		return nil
	})
}

// An error of whoever takes the families ends it, and leaves no goroutine behind.
func TestFamiliesEnd(t *testing.T) {
	g := New(t.TempDir(), 1)
	defer g.Close()
	for i := range 1000 {
		_ = g.Add(fmt.Sprint(i), Row{})
	}
	n := 0
	if err := g.Families(func([]Reference) error { n++; return os.ErrClosed }); err != os.ErrClosed || n != 1 {
		t.Errorf("%v after %d", err, n)
	}
}

// Lines that are there twice count once, and it is told where they were.
func TestIdentical(t *testing.T) {
	g := New(t.TempDir(), Budget)
	defer g.Close()
	for _, r := range []Row{
		{Line: 1, File: 1}, {Line: 1, File: 2}, // shipped twice
		{Line: 2, File: 1}, {Line: 2, File: 1}, // in one file
		{Line: 3, File: 1}, {Line: 4, File: 1}, // two lines of one moment
		{Line: 0, File: 1}, {Line: 0, File: 1}, // rows of a table
		{Line: 5, File: 1}, {Line: 5, File: 3, Event: repeats.Event{Source: 1}}, // in two sources that are joined
	} {
		if err := g.Add(map[bool]string{true: "table", false: "file"}[r.Line == 0], r); err != nil {
			t.Fatal(err)
		}
	}
	got, _ := all(t, g)
	if len(got["file"]) != 6 || len(got["table"]) != 2 || g.Identical != (Identical{OtherFile: 1, SameFile: 1}) {
		t.Errorf("%v, %+v", got, g.Identical)
	}
}

func TestKept(t *testing.T) {
	for _, budget := range []int{1, 1 << 20} {
		k := NewKept(t.TempDir(), budget)
		want := map[string][]repeats.Event{}
		for i := range 500 {
			name := fmt.Sprintf("reference %d", i)
			for j := range i % 7 {
				want[name] = append(want[name], repeats.Event{At: int64(j), Message: uint64(i), Content: 1 << 63, Key: 5, Source: uint8(i % 2)})
			}
			if err := k.Add(name, want[name]); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			n := 0
			err := k.Each(func(g repeats.Group) {
				n++
				if !slices.Equal(g.Events, want[g.Reference]) {
					t.Errorf("%s: %+v", g.Reference, g.Events)
				}
			})
			if err != nil || n != 500 || k.Len() != 500 {
				t.Errorf("%d of %d groups, %v", n, k.Len(), err)
			}
		}
		k.Close()
	}
}
