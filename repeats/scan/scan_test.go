package scan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/repeats"
	"github.com/twiceproof/twiceproof/repeats/source"
)

// scanned scans CSV texts, one file each, with the columns ref, at and perhaps id and amount.
func scanned(t *testing.T, o Options, files ...string) *Result {
	t.Helper()
	o.Folder = t.TempDir()
	s := New(o)
	defer s.Close()
	for _, text := range files {
		f, err := source.Open("-", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		c := source.Columns{Reference: "ref", Time: "at"}
		if strings.HasPrefix(text, "ref,at,id") {
			c.Message = "id"
		}
		if strings.HasPrefix(text, "ref,at,id,amount") {
			c.Content = []string{"amount"}
		}
		if err := source.CSV(f, c, s.Sink(Input{Clock: &source.Clock{}})); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Finish(false)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const head = "ref,at,id\n"

// A rotated log whose end is also in the next file, and a file that was shipped twice,
// make no repeats; a real one in two files is one.
func TestShippedTwice(t *testing.T) {
	one := head + "A,2026-03-04T05:06:07Z,m1\nB,2026-03-04T05:06:08Z,m2\n"
	two := head + "B,2026-03-04T05:06:08Z,m2\nC,2026-03-04T05:06:09Z,m3\nA,2026-03-04T06:06:07Z,m1\n"
	r := scanned(t, Options{}, one, two, one)
	if r.Repeats() != 1 || r.Events != 4 || r.Identical.OtherFile != 3 || r.Identical.SameFile != 0 {
		t.Errorf("%d repeats of %d events, %+v", r.Repeats(), r.Events, r.Identical)
	}
	if control := scanned(t, Options{KeepIdentical: true}, one, two, one); control.Repeats() != 4 {
		t.Errorf("the control: %d repeats", control.Repeats())
	}
}

// Repeats are counted for each reference: fifty different ones do not hide twenty that
// came twice, and one effect six times is five repeats.
func TestCountedForEachReference(t *testing.T) {
	var b strings.Builder
	b.WriteString("ref,at\n")
	for round := range 6 {
		for i := range 50 {
			if round == 0 || round == 1 && i < 20 || i == 7 {
				fmt.Fprintf(&b, "mail-%d,%d\n", i, 1772600767+round*3600+i)
			}
		}
	}
	r := scanned(t, Options{}, b.String())
	of := r.Sources[0]
	if of.References != 50 || of.Tally.References != 20 || r.Repeats() != 24 || of.Times[2] != 19 || of.Times[6] != 1 {
		t.Errorf("%d references, %d repeated, %d repeats, %v", of.References, of.Tally.References, r.Repeats(), of.Times)
	}
}

// A batch of fifty that began anew after the twentieth: those twenty repeat, all after
// the same time.
func TestBatchBeganAnew(t *testing.T) {
	var b strings.Builder
	b.WriteString(head)
	for i := range 70 {
		of, at := i, 1772600767+i/5
		if i >= 20 {
			of, at = i-20, at+7777
		}
		fmt.Fprintf(&b, "mail-%d,%d.%03d,batch\n", of, at, i*100%1000)
	}
	for i, gap := range []int{5000, 6100, 6900, 8700, 9900} { // so that it is no pile
		fmt.Fprintf(&b, "other-%d,%d,o%d\nother-%d,%d,o%d\n", i, 1773000000+i*90000, i, i, 1773000000+i*90000+gap, i)
	}
	r := scanned(t, Options{Settings: repeats.Settings{Queue: "sidekiq"}}, b.String())
	if n := r.Sources[0].Classes[repeats.BatchAgain]; n == nil || n.Repeats != 20 {
		t.Errorf("%+v", r.Sources[0].Classes)
	}
}

// Rows without a reference are no repeats of each other.
func TestLeftOut(t *testing.T) {
	r := scanned(t, Options{}, head+",1772600767,a\n,1772600768,b\nNULL,1772600769,c\nNone,1772600770,d\n \t,1772600771,e\nA,soon,f\nA,,g\n"+
		strings.Repeat("x", 1001)+",1772600771,e\nA,1772600772,h\n")
	if r.Events != 1 || r.Repeats() != 0 || r.Left[noReference] != 5 || r.Left[longReference] != 1 || r.Left[source.NoTime] != 1 || r.Left[source.EmptyTime] != 1 || r.Unread() != 3 {
		t.Errorf("%+v", r)
	}
	if kinds := r.Kinds(); kinds[0] != noReference || len(kinds) != 4 {
		t.Errorf("%q", kinds)
	}
}

// Why no repeats does not mean that there were none.
func TestDoubt(t *testing.T) {
	const none = head + "A,1772600767,m1\nB,1772600768,m2\n"
	for _, c := range []struct {
		what, text string
		names      []string
		want       string
	}{
		{"nothing speaks against it", none, []string{"ref", "at", "updated_at", "state"}, ""},
		{"a column that counts runs", none, []string{"ref", "at", "Retry_Count"}, "a column that counts attempts"},
		{"our own table", none, []string{"operation_key", "claim_token", "acts"}, "idempotency records"},
		{"the same line twice", none + "B,1772600768,m2\n", nil, "word for word"},
		{"look-alikes", none + "b,1772600769,m3\n", nil, "under two names"},
		{"repeats there are", none + "B,1772600769,m2\n", []string{"attempts"}, ""},
	} {
		got := strings.Join(scanned(t, Options{}, c.text).Doubt(c.names), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// The key is made of columns as the guard makes it of a message.
func TestColumnsKey(t *testing.T) {
	key, err := ColumnsKey([]string{"tenant", `order "id"`})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ tenant, order, want, why string }{
		{"a/b", "c", "a%2Fb/c", ""}, {"a", "b/c", "a/b%2Fc", ""}, {"a", "", "", "empty"}, {"None", "c", "", "word for nothing"}, {"a", " ", "", "blank"},
	} {
		got, why := key(&source.Record{Key: []string{c.tenant, c.order}})
		if got != c.want || !strings.Contains(why, c.why) || (why == "") != (c.why == "") {
			t.Errorf("%q, %q: %q, %q", c.tenant, c.order, got, why)
		}
	}
}

// A line of JSON is the message of the job file's paths, whichever queue it is of.
func TestMessageKey(t *testing.T) {
	for path, body := range map[string]string{
		"body.order.id": `{"order": {"id": 42}, "amount": 5}`, "args[0].id": `{"args": [{"id": 42}], "amount": 5}`, "kwargs.order": `{"kwargs": {"order": 42}, "amount": 5}`,
	} {
		p, err := job.ParsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		amount, err := job.ParsePath("body.amount")
		if err != nil {
			t.Fatal(err)
		}
		key, content := MessageKey(job.Operation{Key: []job.Path{p}, Fingerprint: []job.Path{amount}})
		r := &source.Record{Body: body}
		if got, why := key(r); got != "42" || why != "" || content(r) == "" {
			t.Errorf("%s: %q %q %q", path, got, why, content(r))
		}
		other := &source.Record{Body: strings.Replace(body, "5", "6", 1)}
		if content(other) == content(r) {
			t.Errorf("%s: another amount is the same content", path)
		}
		if _, why := key(&source.Record{Body: `{"a": 1, "a": 2}`}); why == "" {
			t.Error("a name twice is taken")
		}
	}
}

// What cannot be written ends the scan with an error.
func TestNoRoom(t *testing.T) {
	s := New(Options{Folder: t.TempDir() + "/not-there", Budget: 1})
	defer s.Close()
	sink := s.Sink(Input{Clock: &source.Clock{}})
	err := sink.Take(&source.Record{Reference: "A", Time: "1772600767"})
	if err == nil || !strings.Contains(err.Error(), "temporary file") || errors.Is(err, nil) {
		t.Errorf("%v", err)
	}
}

// The same data in another order, or through files, gives the same result.
func TestOrderDoesNotMatter(t *testing.T) {
	var lines []string
	for i := range 3000 {
		lines = append(lines, fmt.Sprintf("r%d,%d,m%d\n", i%1700, 1772600767+i*37, i%5))
	}
	told := func(budget int, lines []string) string {
		r := scanned(t, Options{Limit: 5, Budget: budget}, head+strings.Join(lines, ""))
		of := r.Sources[0]
		text := fmt.Sprint(r.Events, of.References, of.Tally.Times, of.Gaps.Bins(), of.Same, of.Other)
		for class, tally := range of.Classes {
			text += fmt.Sprint(class, tally.Repeats, tally.Unsure, tally.Shortest, tally.Longest)
		}
		for _, e := range of.Examples {
			text += e.Group.Reference
		}
		return text
	}
	want := told(1<<20, lines)
	slices.Reverse(lines)
	for _, budget := range []int{1, 1 << 20} {
		if got := told(budget, lines); got != want {
			t.Errorf("budget %d: %s, want %s", budget, got, want)
		}
	}
}
