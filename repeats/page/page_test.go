package page_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/repeats"
	"github.com/twiceproof/twiceproof/repeats/page"
	"github.com/twiceproof/twiceproof/repeats/scan"
	"github.com/twiceproof/twiceproof/repeats/source"
)

// own and provider are two sources in which every value is one of its kind, so that it
// can be looked for in what is told.
func own() string {
	var b strings.Builder
	b.WriteString("colreference,coltime,colmessage,colamount,coltenant\n")
	at := time.Date(2021, 11, 17, 3, 13, 37, 123_000_000, time.UTC)
	for i := range 40 {
		at = at.Add(7*time.Hour + 13*time.Minute)
		for n, gap := range []time.Duration{0, 45*time.Second + time.Duration(i*17)*time.Millisecond, time.Duration(i*i) * time.Minute}[:1+i%3] {
			fmt.Fprintf(&b, "Ref-%dx%d,%s,msg-%d-%d,%d.77,tenant-%d\n", 7000+i, i*i+900, at.Add(gap).Format("2006-01-02 15:04:05.000000"), i, n/2, 91_000+i*n, i%4)
		}
	}
	line := "Doubled-1,2021-12-01 00:00:00.000000,msg-doubled,5551.77,tenant-1\n"
	b.WriteString(line + line + "ref-7001x901 ,2021-12-02 00:00:00.000000,msg-alike,5552.77,tenant-1\n")
	b.WriteString("Caf\u00e9-8,2021-12-03 01:00:00.000000,m-a,5553.77,tenant-1\nCafe\u0301-8,2021-12-03 01:00:00.000000,m-b,5554.77,tenant-1\n")
	b.WriteString("Wide-9,2021-12-03 02:00:00.000000,m-c,5558.77,tenant-1\nＷｉｄｅ-９,2021-12-03 02:00:00.000000,m-d,5559.77,tenant-1\nKeyless-1,2021-12-03 03:00:00.000000,m-e,5557.77,\n")
	b.WriteString("Unread-1,someday,msg-unread,5555.77,tenant-1\n,2021-12-04 01:00:00.000000,msg-nobody,5556.77,\n")
	return b.String()
}

const provider = "theirreference,theirtime\nRef-7000x900,2021-11-17 12:26:38.5\nRef-7003x909,2021-11-18 10:00:00\nRef-7003x909,2021-11-18 10:00:31\nTheirs-1,2021-11-18 11:00:00\n"

// result scans both, with everything that can be asked for.
func result(t *testing.T) (*scan.Result, []string) {
	t.Helper()
	key, err := scan.ColumnsKey([]string{"colreference", "coltenant"})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2021, 11, 17, 0, 0, 0, 0, time.UTC)
	s := scan.New(scan.Options{
		Folder: t.TempDir(), Budget: 1 << 10, Limit: 50, Key: key,
		Settings: repeats.Settings{Deploys: []int64{begin.UnixMicro(), begin.Add(77 * time.Hour).UnixMicro()}},
	})
	defer s.Close()
	var values []string
	for i, c := range []struct {
		text    string
		columns source.Columns
	}{
		{own(), source.Columns{Reference: "colreference", Time: "coltime", Message: "colmessage", Content: []string{"colamount"}, Key: []string{"colreference", "coltenant"}}},
		{provider, source.Columns{Reference: "theirreference", Time: "theirtime"}},
	} {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("thefile-%d.csv", i))
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := source.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := source.CSV(f, c.columns, s.Sink(scan.Input{Clock: &source.Clock{}, Second: i == 1})); err != nil {
			t.Fatal(err)
		}
		f.Close()
		values = append(values, path, filepath.Base(path))
		for _, line := range strings.Split(c.text, "\n") {
			values = append(values, strings.Split(line, ",")...)
			if _, moment, ok := strings.Cut(line, "2021-"); ok {
				values = append(values, "2021-"+moment[:5], moment[6:14]) // the day, the time of day
			}
		}
	}
	r, err := s.Finish(true)
	if err != nil {
		t.Fatal(err)
	}
	return r, values
}

// written gives every form of a result.
func written(t *testing.T, r *scan.Result, o page.Options) map[string]string {
	t.Helper()
	forms := map[string]string{}
	for form, write := range map[string]func(page.Document, *strings.Builder) error{
		"text":     func(d page.Document, b *strings.Builder) error { return d.Text(b) },
		"html":     func(d page.Document, b *strings.Builder) error { return d.HTML(b) },
		"markdown": func(d page.Document, b *strings.Builder) error { return d.Markdown(b) },
	} {
		var b strings.Builder
		if err := write(page.Of(r, o), &b); err != nil {
			t.Fatal(err)
		}
		forms[form] = b.String()
	}
	return forms
}

// The report to send on, and everything that was not asked to show, holds no value of
// the data: no reference, id, amount, moment, column or file. That it is asked to show
// does not change the report to send on. The positive control: what shows, holds them.
func TestNoValues(t *testing.T) {
	r, values := result(t)
	for what, o := range map[string]page.Options{
		"plain":                {},
		"to send on":           {Share: true},
		"to send on, and show": {Share: true, Show: true},
	} {
		for form, text := range written(t, r, o) {
			for _, value := range values {
				if value = strings.TrimSpace(value); strings.HasPrefix(value, "Ｗ") {
					value = "FF37"
				}
				if len(value) > 2 && strings.Contains(strings.ToLower(text), strings.ToLower(value)) {
					t.Errorf("%s, %s: it holds %q", what, form, value)
				}
			}
		}
	}
	for form, text := range written(t, r, page.Options{Show: true}) {
		for _, value := range []string{"Ref-7002x904", "2021-11-18", "0301", "FF37"} {
			if !strings.Contains(text, value) {
				t.Errorf("the control: %s does not show %s", form, value)
			}
		}
	}
}

// The report to send on holds every part of the pattern.
func TestShareHoldsThePattern(t *testing.T) {
	r, _ := result(t)
	text := written(t, r, page.Options{Share: true})["markdown"]
	for _, part := range []string{
		"| visibility timeout | ", "30 s – 1 min ", "gaps pile up at 45 s", "deploys: 2", "references that look alike", "Unicode form: 1",
		"1 line found twice in the same file", "left out: 1, no time", "left out: 1, no reference", "repeats with the same key", "repeated in the second only | 1",
		"No reference, no message id",
	} {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(part)) {
			t.Errorf("it has no %q:\n%s", part, text)
		}
	}
}

// The page needs nothing from elsewhere, and a reference cannot become a part of it.
func TestHTMLStandsAlone(t *testing.T) {
	s := scan.New(scan.Options{Folder: t.TempDir(), Limit: 5})
	defer s.Close()
	sink := s.Sink(scan.Input{Clock: &source.Clock{}, Table: true})
	for range 2 {
		if err := sink.Take(&source.Record{Reference: "<script>alert(1)</script>\x1b[2J", Time: "1772600767"}); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Finish(false)
	if err != nil {
		t.Fatal(err)
	}
	forms := written(t, r, page.Options{Show: true})
	if html := forms["html"]; strings.Contains(html, "<script") || strings.Contains(html, "http") && !strings.Contains(html, "http-equiv") || strings.Contains(html, "src=") || !strings.Contains(html, "&lt;script&gt;") {
		t.Error(html)
	}
	if text := forms["text"]; strings.ContainsRune(text, 0x1b) || !strings.Contains(text, `\x1b`) {
		t.Errorf("%q", text)
	}
}

// No source is empty of words: each title says what was found.
func TestTitles(t *testing.T) {
	for want, c := range map[string]struct {
		references []string
		doubt      []string
	}{
		"no repeats\n": {references: []string{"a", "b"}}, "1 repeat\n": {references: []string{"a", "a"}},
		"this source cannot show repeats\n": {references: []string{"a"}, doubt: []string{"why"}},
	} {
		s := scan.New(scan.Options{Folder: t.TempDir()})
		sink := s.Sink(scan.Input{Clock: &source.Clock{}, Table: true})
		for i, reference := range c.references {
			_ = sink.Take(&source.Record{Reference: reference, Time: fmt.Sprint(1772600767 + i)})
		}
		r, err := s.Finish(false)
		s.Close()
		if err != nil {
			t.Fatal(err)
		}
		if text := written(t, r, page.Options{Doubt: c.doubt})["text"]; !strings.HasPrefix(text, want) {
			t.Errorf("%q, want %q", text, want)
		}
	}
}
