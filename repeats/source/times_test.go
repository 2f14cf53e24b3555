package source

import (
	"strings"
	"testing"
	"time"
)

// Each way of writing one moment, and each text that is none.
func TestTimes(t *testing.T) {
	const whole, milli, micro = 1772600767000000, 1772600767123000, 1772600767123456 // 2026-03-04T05:06:07Z
	for text, want := range map[string]int64{
		"2026-03-04T05:06:07Z":            whole,
		"2026-03-04T05:06:07.123Z":        milli,
		"2026-03-04T05:06:07,123Z":        milli,
		"2026-03-04T05:06:07.123456789Z":  micro,
		"2026-03-04 05:06:07":             whole,
		"2026/03/04 05:06:07":             whole,
		"20260304T050607Z":                whole,
		"2026-03-04 05:06:07,123":         milli,
		"2026-03-04 05:06:07.123456+00":   micro,
		"2026-03-04 06:06:07.123+01:00":   milli,
		"2026-03-04 06:06:07 +0100":       whole,
		"2026-03-03 21:06:07-08":          whole,
		"2026-03-04 05:06:07 UTC":         whole,
		"2026-03-04 05:06:07 +0000 UTC":   whole,
		" 2026-03-04T05:06:07Z ":          whole,
		"2026-03-04T10:36:07+05:30":       whole,
		"2026-03-04T05:06Z":               whole - 7_000_000,
		"2026-03-04":                      whole - (5*3600+6*60+7)*1_000_000,
		"1772600767":                      whole,
		"1772600767.123456":               micro,
		"1772600767.5":                    whole + 500_000,
		"1772600767123":                   milli,
		"1772600767123456":                micro,
		"1772600767123456789":             micro,
		"20260304050607":                  whole,
		"20260304050607123":               milli,
		"04/Mar/2026:05:06:07 +0000":      whole,
		"Wed, 04 Mar 2026 05:06:07 GMT":   whole,
		"Wed, 04 Mar 2026 06:06:07 +0100": whole,
		"2024-02-29T00:00:00Z":            time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC).UnixMicro(),
		"2000-12-31T23:59:59Z":            time.Date(2000, 12, 31, 23, 59, 59, 0, time.UTC).UnixMicro(),
		"1999-01-01T00:00:00Z":            time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro(),
	} {
		if got, why := (&Clock{}).Parse(text); got != want || why != "" {
			t.Errorf("%q: %d %s, want %d", text, got, why, want)
		}
	}
	for text, want := range map[string]string{
		"": EmptyTime, "NULL": EmptyTime, `\N`: EmptyTime, "yesterday": NoTime, "2026-02-30T00:00:00Z": NoTime, "2026-13-01": NoTime,
		"2026-03-04T25:00:00Z": NoTime, "2026-03-04T05:06:07Zx": NoTime, "Mar  4 05:06:07": NoYear, "03/04/2026 05:06:07": DayOrMonth,
		"3.4.2026 05:06": DayOrMonth, "12345": NoTime, "1889-03-04T05:06:07Z": OutsideYears, "2926-03-04T05:06:07Z": OutsideYears, "-1772600767": NoTime,
		"2026/03-04 05:06:07": NoTime, "Wed, 04 Mar 2026 05:06:07 EST": UnknownZone,
	} {
		if _, why := (&Clock{}).Parse(text); why != want {
			t.Errorf("%q: %q, want %q", text, why, want)
		}
	}
}

// Our own reading of ISO times agrees with the standard library's, day by day.
func TestISODays(t *testing.T) {
	for day := time.Date(1990, 1, 1, 13, 14, 15, 0, time.UTC); day.Year() < 2100; day = day.AddDate(0, 0, 1) {
		if got, why := (&Clock{}).Parse(day.Format(time.RFC3339)); got != day.UnixMicro() || why != "" {
			t.Fatalf("%s: %d %s", day, got, why)
		}
	}
}

// A format of one's own, as Go or strftime writes it.
func TestTimeFormats(t *testing.T) {
	for layout, text := range map[string]string{
		"%d.%m.%Y %H:%M:%S": "04.03.2026 05:06:07", "%m/%d/%Y %H:%M:%S": "03/04/2026 05:06:07", "02.01.2006 15:04:05": "04.03.2026 05:06:07",
		"%d/%b/%Y %H:%M:%S %z": "04/Mar/2026 06:06:07 +0100", "%F %T.%f": "2026-03-04 05:06:07.000000",
	} {
		if got, why := (&Clock{Layout: layout}).Parse(text); got != 1772600767000000 || why != "" {
			t.Errorf("%s: %d %s", layout, got, why)
		}
	}
	if _, why := (&Clock{Layout: "%d.%m.%Y"}).Parse("2026-03-04"); why != NoTime {
		t.Errorf("another format: %q", why)
	}
}

// What a zone leaves open is counted.
func TestZones(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	c := &Clock{Zone: berlin}
	for text, want := range map[string]string{
		"2026-03-04 06:06:07":  "2026-03-04T05:06:07Z",
		"2026-07-04 06:06:07":  "2026-07-04T04:06:07Z",
		"2026-07-04T06:06:07Z": "2026-07-04T06:06:07Z",
		"2026-10-25 02:30:00":  "2026-10-25T00:30:00Z", // twice: the first is taken
	} {
		at, why := c.Parse(text)
		if got := time.UnixMicro(at).UTC().Format(time.RFC3339); got != want || why != "" {
			t.Errorf("%s: %s %s, want %s", text, got, why, want)
		}
	}
	if c.Naive != 3 || c.Ambiguous != 1 || c.Skipped != 0 {
		t.Errorf("%+v", c)
	}
	_, _ = c.Parse("2026-03-29 02:30:00")
	if c.Skipped != 1 {
		t.Errorf("the hour that is left out: %+v", c)
	}
}

// How exact times are is seen by how they are written.
func TestExactness(t *testing.T) {
	for text, want := range map[string]Clock{
		"2026-03-04T05:06:07.123Z": {Digits: 3}, "2026-03-04 05:06:07": {Naive: 1}, "2026-03-04 05:06": {Naive: 1, Minutes: true}, "2026-03-04": {Naive: 1, Dates: true},
		"04.03.2026 05:06:07|%d.%m.%Y %H:%M:%S": {Naive: 1}, "04.03.2026 05:06|%d.%m.%Y %H:%M": {Naive: 1, Minutes: true}, "04.03.2026|%d.%m.%Y": {Naive: 1, Dates: true},
		"4/3/26, 5:06 AM|2/1/06, 3:04 PM": {Naive: 1, Minutes: true}, "04/Mar/2026:05:06:07 +0000": {},
	} {
		text, layout, _ := strings.Cut(text, "|")
		clock := Clock{Layout: layout}
		_, why := clock.Parse(text)
		if clock.Layout = ""; why != "" || clock != want {
			t.Errorf("%s: %+v %s, want %+v", text, clock, why, want)
		}
	}
}

// The abbreviation of a zone is known in the zone that has it, and is UTC nowhere else.
func TestZonesByAbbreviation(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	const layout, text = "%Y-%m-%d %H:%M:%S %Z", "2026-03-04 06:06:07 CET"
	if at, why := (&Clock{Layout: layout, Zone: berlin}).Parse(text); at != 1772600767000000 || why != "" {
		t.Errorf("%d %s", at, why)
	}
	lisbon, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		t.Fatal(err)
	}
	if at, why := (&Clock{Layout: layout, Zone: lisbon}).Parse("2026-03-04 05:06:07 WET"); at != 1772600767000000 || why != "" {
		t.Errorf("%d %s", at, why)
	}
	if _, why := (&Clock{Layout: layout}).Parse(text); why != UnknownZone {
		t.Errorf("without the zone: %q", why)
	}
}
