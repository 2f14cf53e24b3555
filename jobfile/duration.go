package jobfile

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// units are those of a duration, from long to short.
var units = []struct {
	name   string
	length time.Duration
}{
	{"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}, {"ms", time.Millisecond},
}

// DurationError says why a text is no duration.
type DurationError struct{ Text, What, Hint string }

func (e *DurationError) Error() string { return strconv.Quote(e.Text) + " " + e.What }

// ParseDuration reads whole numbers with the units d, h, m, s and ms, from long
// to short: 90s, 2m, 45d, 1h30m. Its error is a *DurationError.
func ParseDuration(text string) (time.Duration, error) {
	fail := func(what, hint string) (time.Duration, error) {
		return 0, &DurationError{Text: text, What: what, Hint: hint}
	}
	switch digits := leadingDigits(text); {
	case strings.HasPrefix(text, "-"):
		return fail("is negative", "a duration is never negative")
	case text != "" && digits == len(text):
		return fail("has no unit", "write "+text+"s if seconds are meant; the units are ms, s, m, h and d")
	case strings.Contains(text, "."):
		return fail("has a fraction", "write whole numbers, such as 1h30m or 1500ms")
	}
	total, ok := sumUnits(text)
	if !ok {
		return fail("is no duration", "write one such as 90s, 2m, 45d or 1h30m; the units are ms, s, m, h and d")
	}
	if total < 0 {
		return fail("is too long", "a duration is shorter than 292 years")
	}
	return total, nil
}

// sumUnits adds up the parts of a duration; -1 means too long.
func sumUnits(text string) (total time.Duration, ok bool) {
	smaller := units
	for first := true; first || text != ""; first = false {
		digits := leadingDigits(text)
		name := text[digits:]
		name = name[:len(name)-len(strings.TrimLeft(name, "dhms"))]
		i := unitIndex(smaller, name)
		if digits == 0 || i < 0 {
			return 0, false
		}
		total = addUnits(total, text[:digits], smaller[i].length)
		text, smaller = text[digits+len(name):], smaller[i+1:]
	}
	return total, true
}

func addUnits(total time.Duration, digits string, length time.Duration) time.Duration {
	number, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || total < 0 || number > (math.MaxInt64-int64(total))/int64(length) {
		return -1
	}
	return total + time.Duration(number)*length
}

func unitIndex(among []struct {
	name   string
	length time.Duration
}, name string) int {
	for i, u := range among {
		if u.name == name {
			return i
		}
	}
	return -1
}

func leadingDigits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}

// FormatDuration writes a duration as the job file has it: 2m, 45d, 1h30m.
func FormatDuration(length time.Duration) string {
	if length < time.Millisecond {
		return "0s"
	}
	var text strings.Builder
	for _, u := range units {
		if n := length / u.length; n > 0 {
			text.WriteString(strconv.FormatInt(int64(n), 10) + u.name)
			length %= u.length
		}
	}
	return text.String()
}
