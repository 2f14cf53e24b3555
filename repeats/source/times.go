package source

import (
	"strconv"
	"strings"
	"time"
)

// Clock reads times. A time without a zone is taken to be in Zone, or UTC when that is
// nil. It counts what the reader of the result must know.
type Clock struct {
	Layout string // Go's, or with % strftime's; empty: what is usual is known
	Zone   *time.Location

	Naive     int  // times without a zone
	Ambiguous int  // in the hour that the clock change repeats
	Skipped   int  // in the hour that the clock change leaves out
	Digits    int  // the most digits of a fraction
	Dates     bool // some had no time of day
	Minutes   bool // some had no seconds
}

// Why a text is no time.
const (
	NoTime       = "no time"
	EmptyTime    = "empty time"
	NoYear       = "a time without a year"
	DayOrMonth   = "a date whose day and month cannot be told apart"
	OutsideYears = "a time outside 1990 to 2100"
	UnknownZone  = "a time zone's abbreviation that is not one of --zone's"
)

// Parse gives microseconds since 1970, or why it is no time.
func (c *Clock) Parse(text string) (at int64, why string) {
	text = strings.TrimSpace(text)
	if text == "" || text == "NULL" || text == `\N` {
		return 0, EmptyTime
	}
	at, why = c.parse(text)
	if why == "" && (at < from1990 || at > to2100) {
		return 0, OutsideYears
	}
	return at, why
}

var (
	from1990 = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	to2100   = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
)

func (c *Clock) parse(text string) (int64, string) {
	if c.Layout != "" {
		return c.byLayout(text, c.Layout)
	}
	if w, ok := parseISO(text); ok {
		return c.instant(w), ""
	}
	if at, ok := c.number(text); ok {
		return at, ""
	}
	for _, layout := range []string{"02/Jan/2006:15:04:05 -0700", time.RFC1123Z, time.RFC1123, time.RFC850, time.ANSIC, "02 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04:05", "20060102T150405Z0700"} {
		if at, why := c.byLayout(text, layout); why != NoTime {
			return at, why
		}
	}
	return 0, whyNot(text)
}

func whyNot(text string) string {
	if _, err := time.Parse(time.Stamp, text); err == nil {
		return NoYear
	}
	if len(text) >= 8 && (text[1] == '/' || text[2] == '/' || text[1] == '.' || text[2] == '.') && text[0] >= '0' && text[0] <= '9' {
		return DayOrMonth
	}
	return NoTime
}

func (c *Clock) byLayout(text, layout string) (int64, string) {
	if strings.Contains(layout, "%") {
		layout = goLayout(layout)
	}
	zoned := strings.Contains(layout, "Z07") || strings.Contains(layout, "-07") || strings.Contains(layout, "MST")
	t, err := time.ParseInLocation(layout, text, c.zone())
	if err != nil {
		return 0, NoTime
	}
	if name, offset := t.Zone(); strings.Contains(layout, "MST") && t.Location() != c.zone() && offset == 0 && name != "UTC" && name != "GMT" {
		return 0, UnknownZone // Go would take it for UTC
	}
	if !zoned {
		c.Naive++
	}
	if t.Nanosecond() != 0 {
		c.Digits = max(c.Digits, 6)
	}
	minutes := strings.Contains(layout, "04")
	c.Dates, c.Minutes = c.Dates || !minutes, c.Minutes || minutes && !strings.Contains(layout, "05")
	return t.UnixMicro(), ""
}

func (c *Clock) zone() *time.Location {
	if c.Zone == nil {
		return time.UTC
	}
	return c.Zone
}

// goLayout translates the letters of strftime that times of events have.
func goLayout(strftime string) string {
	return strings.NewReplacer("%Y", "2006", "%m", "01", "%d", "02", "%H", "15", "%I", "03", "%M", "04", "%S", "05", "%p", "PM", "%y", "06", "%b", "Jan", "%B",
		"January", "%e", "_2", "%z", "-0700", "%Z", "MST", "%F", "2006-01-02", "%T", "15:04:05", ".%f", ".000000", ",%f", ",000000", ".%L", ".000", ",%L", ",000", "%a", "Mon", "%%", "%").Replace(strftime)
}

// number reads seconds since 1970, or milli-, micro- or nanoseconds, by how many there
// are; and a date and time written without anything between.
func (c *Clock) number(text string) (int64, bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n < 0 || len(whole) < 9 {
		return 0, false
	}
	if len(whole) == 14 || len(whole) == 17 {
		t, err := time.ParseInLocation("20060102150405.000"[:len(whole)+min(1, len(whole)-14)], compact(whole), c.zone())
		if err == nil {
			c.Naive++
			return t.UnixMicro(), true
		}
	}
	switch {
	case len(whole) <= 11:
		c.Digits = max(c.Digits, len(strings.TrimRight(fraction, "0")))
		return n*1_000_000 + micros(fraction), fraction == "" || digitsOnly(fraction)
	case len(whole) <= 14:
		c.Digits = max(c.Digits, 3)
		return n * 1000, true
	case len(whole) <= 17:
		c.Digits = max(c.Digits, 6)
		return n, true
	}
	c.Digits = max(c.Digits, 9)
	return n / 1000, true
}

// compact puts the point before milliseconds.
func compact(s string) string {
	if len(s) == 17 {
		return s[:14] + "." + s[14:]
	}
	return s
}

func micros(fraction string) (n int64) {
	for i := range 6 {
		n *= 10
		if i < len(fraction) {
			n += int64(fraction[i] - '0')
		}
	}
	return n
}

func digitsOnly(s string) bool { return strings.Trim(s, "0123456789") == "" }
