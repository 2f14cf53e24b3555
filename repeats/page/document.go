package page

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/repeats"
	"github.com/twiceproof/twiceproof/repeats/scan"
)

// Options say what may be told.
type Options struct {
	Show  bool     // the references of the examples, and their times
	Share bool     // to be sent on: patterns only
	Doubt []string // why no repeats does not mean that there are none
	Notes []string // about the source
	Queue string
}

// Document is what is told, before it is text or HTML.
type Document struct {
	Title    string
	Sections []Section
}

// Section has some of these.
type Section struct {
	Title string
	Lines []string
	Bars  []Bar
	Rows  [][]string // the first is the head
}

// Bar is one line of the picture.
type Bar struct {
	Label string
	Count int
	Width float64 // of the longest
}

// Of makes the document.
func Of(r *scan.Result, o Options) Document {
	if o.Share {
		o.Show = false
	}
	d := Document{Title: title(r, o)}
	d.add(counts(r, o), notes(r, o))
	for i := range r.Sources {
		if s := &r.Sources[i]; s.Repeats > 0 {
			d.add(picture(s, r, i), classes(s), patterns(s, o))
		}
	}
	d.add(alikes(r, o), joined(r), keys(r))
	if o.Show {
		for i := range r.Sources {
			d.add(examples(&r.Sources[i], r, i))
		}
	}
	if o.Share {
		d.add(Section{Title: "What this report holds", Lines: []string{
			"Counts, lengths of time and classes. No reference, no message id, no moment, no name of a column, table or file.",
		}})
	}
	return d
}

func (d *Document) add(sections ...Section) {
	for _, s := range sections {
		if len(s.Lines)+len(s.Bars)+len(s.Rows) > 0 {
			d.Sections = append(d.Sections, s)
		}
	}
}

func title(r *scan.Result, o Options) string {
	switch {
	case r.Repeats() > 0:
		text := some(r.Repeats(), "repeat")
		if n := r.Legitimate(); n > 0 {
			text += ", of which " + number(n) + " may be legitimate"
		}
		return text
	case len(o.Doubt) > 0:
		return "this source cannot show repeats"
	}
	return "no repeats"
}

func counts(r *scan.Result, o Options) (s Section) {
	for i := range r.Sources {
		of := &r.Sources[i]
		if of.Events == 0 && (i > 0 && r.Joined == nil) {
			continue
		}
		s.Lines = append(s.Lines, fmt.Sprintf("%s%s of %s in %s", which(r, i), some(of.Events, "event"), some(of.References, "reference"), repeats.Length(of.Covers)))
		if of.Repeats > 0 {
			s.Lines = append(s.Lines, fmt.Sprintf("references with more than one event: %s; %s", number(of.Tally.References), times(of.Times)))
			s.Lines = append(s.Lines, "repeats, which are the events beyond each reference's first: "+number(of.Repeats))
		}
	}
	for _, why := range o.Doubt {
		s.Lines = append(s.Lines, "It cannot be told from this source whether there were repeats: "+why)
	}
	return s
}

func which(r *scan.Result, i int) string {
	if r.Joined == nil {
		return ""
	}
	return []string{"first source: ", "second source: "}[i]
}

func haveOf(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// times is how many references have how many events.
func times(of map[int]int) string {
	most := 0
	for n := range of {
		most = max(most, n)
	}
	var parts []string
	rest := 0
	for n := 2; n <= most; n++ {
		switch {
		case of[n] == 0:
		case len(parts) < 5:
			parts = append(parts, fmt.Sprintf("%s %s %d", number(of[n]), haveOf(of[n]), n))
		default:
			rest += of[n]
		}
	}
	if rest > 0 {
		parts = append(parts, fmt.Sprintf("%s %s more, up to %d", number(rest), haveOf(rest), most))
	}
	return strings.Join(parts, ", ")
}

func picture(s *scan.Source, r *scan.Result, i int) Section {
	section := Section{Title: which(r, i) + "time since the event before of the same reference"}
	bins := s.Gaps.Bins()
	most := 1
	for _, b := range bins {
		most = max(most, b.Count)
	}
	for _, b := range bins {
		label := repeats.Length(b.From) + " – " + repeats.Length(b.To)
		if b.From == 0 {
			label = "under " + repeats.Length(b.To)
		} else if b.To == 0 {
			label = "over " + repeats.Length(b.From)
		}
		section.Bars = append(section.Bars, Bar{label, b.Count, float64(b.Count) / float64(most)})
	}
	return section
}

// some is a number of things; one is one thing.
func some(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return number(n) + " " + thing
}

// number has a comma at each thousand.
func number(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func moment(at int64) string { return time.UnixMicro(at).UTC().Format("2006-01-02 15:04:05.000Z") }
