package source

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// read gives what a source hands on, a line each, and what it leaves out.
func read(t *testing.T, text, path string, do func(*File, Sink) error) (rows []string, left map[string]int, err error) {
	t.Helper()
	f, err := Open(path, strings.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	left = map[string]int{}
	err = do(f, Sink{
		Take: func(r *Record) error {
			rows = append(rows, fmt.Sprint(r.Reference, "|", r.Time, "|", r.Message, "|", r.Content, "|", r.Key))
			return nil
		},
		Left: func(kind string) { left[kind]++ },
	})
	return rows, left, err
}

var all = Columns{Reference: "ref", Time: "at", Message: "id", Content: []string{"amount"}, Key: []string{"ref", "tenant"}}

func csvOf(c Columns) func(*File, Sink) error {
	return func(f *File, s Sink) error { return CSV(f, c, s) }
}

func TestCSV(t *testing.T) {
	want := []string{"A|1|m1|[10]|[A t]", "B|2||[]|[B u]"}
	for what, text := range map[string]string{
		"plain":            "ref,at,id,amount,tenant\nA,1,m1,10,t\nB,2,,,u\n",
		"another order":    "tenant,amount,id,at,ref\nt,10,m1,1,A\nu,,,2,B\n",
		"semicolons":       "ref;at;id;amount;tenant\nA;1;m1;10;t\nB;2;;;u\n",
		"tabs":             "ref\tat\tid\tamount\ttenant\nA\t1\tm1\t10\tt\nB\t2\t\t\tu\n",
		"quoted":           "\"ref\",\"at\",\"id\",\"amount\",\"tenant\"\n\"A\",\"1\",\"m1\",\"10\",\"t\"\n\"B\",\"2\",\"\",\"\",\"u\"\n",
		"a mark in front":  "\ufeffref,at,id,amount,tenant\r\nA,1,m1,10,t\r\nB,2,,,u\r\n",
		"no end of line":   "ref,at,id,amount,tenant\nA,1,m1,10,t\nB,2,,,u",
		"more in a row":    "ref,at,id,amount,tenant\nA,1,m1,10,t,x\nB,2,,,u\n",
		"lines in a field": "note,ref,at,id,amount,tenant\n\"two\nlines\",A,1,m1,10,t\n,B,2,,,u\n",
	} {
		rows, left, err := read(t, text, "-", csvOf(all))
		if err != nil || !slices.Equal(rows, want) || len(left) > 0 {
			t.Errorf("%s: %q %v %v", what, rows, left, err)
		}
	}
}

// A row that cannot be read is counted, and the ones after it are read. A quote too many
// takes all lines up to the next one with it.
func TestCSVLeavesOut(t *testing.T) {
	torn := "ref,at\n\"A,1\nB,2\nC,\"3\nD,4\n"
	rows, left, err := read(t, torn, "-", csvOf(Columns{Reference: "ref", Time: "at"}))
	if err != nil || !slices.Equal(rows, []string{"D|4||[]|[]"}) || !maps.Equal(left, map[string]int{"no sound CSV": 3}) {
		t.Errorf("%q %v %v", rows, left, err)
	}
	swallowed := "ref,at\n\"A,1\nB,2\nC\n\"\nD,4\n"
	rows, left, err = read(t, swallowed, "-", csvOf(Columns{Reference: "ref", Time: "at"}))
	if err != nil || !slices.Equal(rows, []string{"D|4||[]|[]"}) || !maps.Equal(left, map[string]int{"too few columns": 4}) {
		t.Errorf("%q %v %v", rows, left, err)
	}
	text := "at,ref\n1,A\n2\n3,B \" C\n4,D\n(4 rows)\n"
	rows, left, err = read(t, text, "-", csvOf(Columns{Reference: "ref", Time: "at"}))
	if err != nil || !slices.Equal(rows, []string{"A|1||[]|[]", "D|4||[]|[]"}) || !maps.Equal(left, map[string]int{"too few columns": 2, "no sound CSV": 1}) {
		t.Errorf("%q %v %v", rows, left, err)
	}
}

// Rows of many batches come in their order, and an error of the taker ends the reading.
func TestCSVBatches(t *testing.T) {
	var text bytes.Buffer
	text.WriteString("ref,at\n")
	for i := range 5*rowsInBatch + 7 {
		fmt.Fprintf(&text, "r%d,%d\n", i, i)
	}
	rows, _, err := read(t, text.String(), "-", csvOf(Columns{Reference: "ref", Time: "at"}))
	if err != nil || len(rows) != 5*rowsInBatch+7 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, row := range rows {
		if row != fmt.Sprintf("r%d|%d||[]|[]", i, i) {
			t.Fatalf("row %d is %s", i, row)
		}
	}
	enough := errors.New("enough")
	f, err := Open("-", strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	err = CSV(f, Columns{Reference: "ref", Time: "at"}, Sink{Take: func(*Record) error {
		if n++; n == 3 {
			return enough
		}
		return nil
	}})
	if !errors.Is(err, enough) || n != 3 {
		t.Errorf("%v after %d rows", err, n)
	}
}

func TestJSONL(t *testing.T) {
	text := `{"ref": "A", "at": 1772600767123456789, "ctx": {"id": "m1"}, "amount": 10.50, "a.b": "dotted", "n": null}` + "\n\n" +
		`{"ref": 17, "at": "x", "ctx": {}, "amount": [1]}` + "\nnot json\n" + `{"ref": ` + "\n"
	c := Columns{Reference: "ref", Time: "at", Message: "ctx.id", Content: []string{"amount", "a.b", "n"}}
	rows, left, err := read(t, text, "-", func(f *File, s Sink) error { return JSONL(f, c, false, s) })
	want := []string{"A|1772600767123456789|m1|[10.50 dotted ]|[]", "17|x||[  ]|[]"}
	if err != nil || !slices.Equal(rows, want) || !maps.Equal(left, map[string]int{"no sound JSON object": 2}) {
		t.Errorf("%q %v %v", rows, left, err)
	}
	loose := "2026-03-04 pod-1 " + `{"ref": "A", "at": "1"}` + "\nstarting\n"
	rows, left, err = read(t, loose, "-", func(f *File, s Sink) error { return JSONL(f, Columns{Reference: "ref", Time: "at"}, true, s) })
	if err != nil || !slices.Equal(rows, []string{"A|1||[]|[]"}) || left[NoJSON] != 1 {
		t.Errorf("%q %v %v", rows, left, err)
	}
}

// The lines that the queues' own loggers write, and lines beside them.
func TestPresets(t *testing.T) {
	for preset, c := range map[string]struct {
		text string
		want []string
	}{
		"sidekiq": {`INFO  2026-03-04T05:06:07.123Z pid=4242 tid=abc1 class=ChargeJob jid=b4a577edbccf1d805744efa9: start
INFO  2026-03-04T05:06:08.123Z pid=4242 tid=abc1 class=ChargeJob jid=b4a577edbccf1d805744efa9 elapsed=1.0: done
2026-03-04T05:06:07.123Z pid=4242 tid=abc1 class=ChargeJob jid=b4a577edbccf1d805744efaa INFO: start
2018-05-09T16:00:00.000Z 1234 TID-ovq8 ChargeJob JID-b4a577edbccf1d805744efab INFO: start
{"ts":"2026-03-04T05:06:09.123Z","pid":4242,"tid":"abc1","lvl":"INFO","msg":"start","ctx":{"class":"ChargeJob","jid":"b4a577edbccf1d805744efac"}}
{"ts":"2026-03-04T05:06:10.123Z","pid":4242,"tid":"abc1","lvl":"INFO","msg":"done","ctx":{"class":"ChargeJob","jid":"b4a577edbccf1d805744efac","elapsed":1.0}}
2026-03-04T05:06:07.123Z pid=4242 tid=abc1 INFO: Booting Sidekiq, about to start
`, []string{"b4a577edbccf1d805744efa9|2026-03-04T05:06:07.123Z|b4a577edbccf1d805744efa9", "b4a577edbccf1d805744efaa|2026-03-04T05:06:07.123Z|b4a577edbccf1d805744efaa", "b4a577edbccf1d805744efab|2018-05-09T16:00:00.000Z|b4a577edbccf1d805744efab", "b4a577edbccf1d805744efac|2026-03-04T05:06:09.123Z|b4a577edbccf1d805744efac"}},
		"celery": {`[2026-03-04 05:06:07,123: INFO/MainProcess] Task billing.charge[7f9e27b4-0000-4000-8000-000000000001] received
[2026-03-04 05:06:08,123: INFO/ForkPoolWorker-1] Task billing.charge[7f9e27b4-0000-4000-8000-000000000001] succeeded in 1.0s: None
worker-1  | [2026-03-04 05:06:09,123: INFO/ForkPoolWorker-1] Task billing.charge[7f9e27b4-0000-4000-8000-000000000002] retry: Retry in 180s
[2026-03-04 05:06:09,500: ERROR/ForkPoolWorker-2] Task billing.charge[7f9e27b4-0000-4000-8000-000000000003] raised unexpected: ValueError()
[2026-03-04 05:06:09,600: INFO/MainProcess] celery@host ready.
`, []string{"7f9e27b4-0000-4000-8000-000000000001|2026-03-04 05:06:08,123|7f9e27b4-0000-4000-8000-000000000001", "7f9e27b4-0000-4000-8000-000000000002|2026-03-04 05:06:09,123|7f9e27b4-0000-4000-8000-000000000002", "7f9e27b4-0000-4000-8000-000000000003|2026-03-04 05:06:09,500|7f9e27b4-0000-4000-8000-000000000003"}},
		`^(?P<time>\S+) .*order=(?P<reference>\S+)(?: msg=(?P<message>\S+))?`: {"1 charge order=A msg=m1\n2 charge order=B\n3 nothing\n", []string{"A|1|m1", "B|2|"}},
	} {
		p, err := ParsePattern(preset)
		if err != nil {
			t.Fatal(err)
		}
		rows, left, err := read(t, c.text, "-", func(f *File, s Sink) error { return Log(f, p, p.Columns(), s) })
		for i := range rows {
			rows[i] = strings.TrimSuffix(rows[i], "|[]|[]")
		}
		if err != nil || !slices.Equal(rows, c.want) || left[Unmatched] == 0 {
			t.Errorf("%s: %q %v %v", preset, rows, left, err)
		}
	}
}

// Whatever is wrong is told with a hint, and without a value.
func TestErrors(t *testing.T) {
	two := Columns{Reference: "ref", Time: "at"}
	jsonl := func(f *File, s Sink) error { return JSONL(f, two, false, s) }
	gz := gzipped(t, strings.Repeat("ref,at\nsecret,1\n", 5000))
	folder := t.TempDir()
	for _, c := range []struct {
		what, text, path string
		do               func(*File, Sink) error
		want, hint       string
	}{
		{"no column", "reff,at\nsecret,1\n", "-", csvOf(two), "standard input has no column ref", "did you mean reff?"},
		{"a column twice", "ref,ref,at\nsecret,b,1\n", "-", csvOf(two), "has the column ref twice", "another name"},
		{"no field", strings.Repeat(`{"reff": "secret", "at": 1, "by": {"secret777": 1}}`+"\n", 2) + `{"other": 1, "secret": 2}`, "-", jsonl, "has no field ref", "did you mean reff? it has reff, at"},
		{"no field, nor any that may be told", `{"secret": {"secret-1042": 1}}`, "-", jsonl, "has no field ref", "they may be values"},
		{"no header, and an unusual time", "secret;04.03.26 05:06\nb;04.03.26 05:07\n", "-", csvOf(two), "does not begin with a row that names", "with a header"},
		{"no header, and a short date", "secret;4/3/26\nb;4/3/26\n", "-", csvOf(two), "does not begin with a row that names", "with a header"},
		{"a name with digits", "2nd,ref1\nsecret,secret\n", "-", csvOf(two), "has no column ref", "it has 2nd, ref1"},
		{"no JSON", "secret\n", "-", jsonl, "has no line with a JSON object", "one object a line"},
		{"empty", "", "-", csvOf(two), "is empty", "check the export"},
		{"half a gzip", string(gz[:len(gz)-9]), "-", csvOf(two), "is gzipped and not whole", "copy it again"},
		{"a broken gzip", string(gz[:40]) + "secretsecret" + string(gz[52:]), "-", csvOf(two), "is gzipped and not whole", "copy it again"},
		{"no header", "secret,2026-03-04T05:06:07Z\nb,2026-03-04T05:06:08Z\n", "-", csvOf(two), "does not begin with a row that names", "with a header"},
		{"no ends of lines", "ref,at\rsecret,1\r", "-", csvOf(two), "does not begin with a row that names", "a line end after each row"},
		{"nothing but ends of lines", "\n\r\n", "-", csvOf(two), "does not begin with a row that names", "with a header"},
		{"a quote that is not closed", "ref,at\na,1\n\n\"secret,2\n" + strings.Repeat("b,3\n", oneBlock), "-", csvOf(two), "begins in line 4 has a quote that is never closed", "doubled"},
		{"a long row", "ref,at\na,1\nb," + strings.Repeat("secret", longest/6+1) + "\n", "-", csvOf(two), "begins in line 3 has more than 16 MB", "never closed"},
		{"a long field", "ref,at\na,1\nb,\"" + strings.Repeat("secret\n", longest/7+1) + "\"\n", "-", csvOf(two), "begins in line 3 has more than 16 MB", "never closed"},
		{"a long line", "{}\n{\"ref\": \"" + strings.Repeat("secret", longest/6+1) + "\"}\n", "-", jsonl, "line 2 has more than 16 MB", "one object a line"},
		{"no way to read it", "", "/proc/self/mem", csvOf(two), "cannot be read further", "check /proc/self/mem"},
		{"binary", "ref,at\x00\x01secret", "-", csvOf(two), "is no text", "CSV"},
		{"binary from somewhere on", "ref,at\n" + strings.Repeat("a,1772600767\n", oneBlock/10) + "\x00\x01secret", "-", csvOf(two), fmt.Sprintf("line %d is no text", oneBlock/10+2), "a part"},
		{"UTF-16", "\xff\xfer\x00e\x00f\x00", "-", csvOf(two), "is UTF-16", "iconv"},
		{"zstd", "\x28\xb5\x2f\xfdsecret", "-", csvOf(two), "is zstd", "zstd -dc"},
		{"SQLite", "SQLite format 3\x00", "-", csvOf(two), "is an SQLite database", "--dsn"},
		{"not there", "", filepath.Join(folder, "no.csv"), csvOf(two), "is not there", "check the path"},
		{"a folder", "", folder, csvOf(two), "is a folder", "name the files"},
	} {
		_, _, err := read(t, c.text, c.path, c.do)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.What, c.want) || !strings.Contains(e.Hint, c.hint) || strings.Contains(e.What+e.Hint, "secret") {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	for pattern, want := range map[string]string{
		"sidekik": "did you mean sidekiq?", "(?P<time>.)": "(?P<reference>…)", "(?P<reference>.": "Go's syntax",
	} {
		_, err := ParsePattern(pattern)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Hint, want) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}

// A gzipped file is told by what is in it, also one of several members, as rotation
// appends them.
func TestGzip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "export.csv") // no .gz
	if err := os.WriteFile(path, append(gzipped(t, "ref,at\nA,1\n"), gzipped(t, "B,2\n")...), 0o600); err != nil {
		t.Fatal(err)
	}
	rows, _, err := read(t, "", path, csvOf(Columns{Reference: "ref", Time: "at"}))
	if err != nil || !slices.Equal(rows, []string{"A|1||[]|[]", "B|2||[]|[]"}) {
		t.Errorf("%q %v", rows, err)
	}
}

func gzipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDeploys(t *testing.T) {
	for _, text := range []string{
		"2026-03-04T05:06:07Z v1.2 by ann\n# a comment\n\n2026-03-04 06:06:07 v1.3\n", "time,version\n2026-03-04T05:06:07Z,v1\n\"2026-03-04T06:06:07Z\",v2\n",
		"1772600767\n1772604367\n",
	} {
		f, err := Open("-", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Deploys(f, &Clock{})
		if err != nil || !slices.Equal(got, []int64{1772600767000000, 1772604367000000}) {
			t.Errorf("%q: %d %v", text, got, err)
		}
	}
	for _, text := range []string{"time\n", "2026-03-04T05:06:07Z\nlater\n"} {
		f, err := Open("-", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Deploys(f, &Clock{}); err == nil {
			t.Errorf("%q: %d", text, got)
		}
	}
}
