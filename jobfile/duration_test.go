package jobfile

import (
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "2m": 2 * time.Minute, "45d": 45 * 24 * time.Hour, "1h30m": 90 * time.Minute,
		"500ms": 500 * time.Millisecond, "1d2h3m4s5ms": 26*time.Hour + 3*time.Minute + 4*time.Second + 5*time.Millisecond,
		"1m5ms": time.Minute + 5*time.Millisecond, "0s": 0, "007s": 7 * time.Second, "106751d": 106751 * 24 * time.Hour,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestParseDurationRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"": "is no duration", "s": "is no duration", "2 m": "is no duration", "2M": "is no duration", "2min": "is no duration", "5us": "is no duration",
		"2m1h": "is no duration", "1h1h": "is no duration", "1m ": "is no duration", "1m2": "is no duration", "+5s": "is no duration", "1s1m": "is no duration", "1w": "is no duration",
		"90": "has no unit", "0": "has no unit", "-5s": "is negative", "-5": "is negative", "1.5h": "has a fraction",
		"106752d": "is too long", "99999999999999999999s": "is too long", "106751d24h": "is too long", "106752d1h": "is too long",
	} {
		_, err := ParseDuration(text)
		wrong, ok := err.(*DurationError)
		if !ok || wrong.What != want || wrong.Hint == "" {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestFormatDuration(t *testing.T) {
	for want, length := range map[string]time.Duration{
		"0s": 0, "1m30s": 90 * time.Second, "45d": 45 * 24 * time.Hour, "1h": time.Hour, "1d2h3m4s5ms": 26*time.Hour + 3*time.Minute + 4*time.Second + 5*time.Millisecond,
	} {
		if got := FormatDuration(length); got != want {
			t.Errorf("%v: %s, want %s", length, got, want)
		}
	}
}

// FuzzDuration: what is written is read back.
func FuzzDuration(f *testing.F) {
	f.Add("1h30m")
	f.Add("106751d23h47m16s854ms")
	f.Fuzz(func(t *testing.T, text string) {
		length, err := ParseDuration(text)
		if err != nil {
			return
		}
		if again, err := ParseDuration(FormatDuration(length)); err != nil || again != length {
			t.Errorf("%q: %v, then %v, %v", text, length, again, err)
		}
	})
}
