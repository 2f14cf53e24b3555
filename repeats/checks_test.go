package repeats

import (
	"fmt"
	"testing"
	"time"
)

func events(gaps ...string) []Event { return group(0, gaps...).Events }

func TestJoined(t *testing.T) {
	once := events()
	twice := events("5s")
	later := func(by time.Duration) []Event { return group(by).Events }
	var j Joined
	j.Add(once, once)
	j.Add(once, twice)  // charged twice, one row
	j.Add(twice, once)  // two rows, one charge
	j.Add(twice, twice) // both
	j.Add(once, nil)
	j.Add(nil, once)
	j.Add(later(time.Hour), nil) // the second source ends before
	j.Conclude()
	want := Joined{OnlyFirst: 2, OnlySecond: 1, OutsideFirst: 1, Both: 1, RepeatedFirst: 1, RepeatedSecond: 1, RepeatedBoth: 1}
	got := Joined{
		OnlyFirst: j.OnlyFirst, OnlySecond: j.OnlySecond, OutsideFirst: j.OutsideFirst, OutsideSecond: j.OutsideSecond, Both: j.Both,
		RepeatedFirst: j.RepeatedFirst, RepeatedSecond: j.RepeatedSecond, RepeatedBoth: j.RepeatedBoth,
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v", j)
	}
}

// Another time zone is alike for nearly all, and whole quarters of an hour.
func TestJoinedZones(t *testing.T) {
	for _, c := range []struct {
		what  string
		apart []time.Duration
		want  bool
	}{
		{"two hours", []time.Duration{2*time.Hour + time.Second, 2 * time.Hour, 2*time.Hour + 40*time.Second, 2*time.Hour + 3*time.Second}, true},
		{"five hours and a half, the other way", []time.Duration{-330 * time.Minute, -330*time.Minute + time.Second, -330 * time.Minute}, true},
		{"seconds", []time.Duration{time.Second, 2 * time.Second, 3 * time.Second}, false},
		{"some two hours, some not", []time.Duration{2 * time.Hour, 2 * time.Hour, 2 * time.Hour, 3 * time.Minute, time.Minute}, false},
		{"two are too few", []time.Duration{2 * time.Hour, 2 * time.Hour}, false},
		{"a day", []time.Duration{24 * time.Hour, 24 * time.Hour, 24 * time.Hour}, false},
	} {
		var j Joined
		for _, apart := range c.apart {
			j.Add(group(0).Events, group(apart).Events)
		}
		if _, zone := j.Apart(); zone != c.want {
			t.Errorf("%s: %t", c.what, zone)
		}
	}
}

// A key that merges two operations, one that splits one, and one that does neither.
func TestKeyCheck(t *testing.T) {
	keyed := func(gap string, keys ...string) Group {
		g := group(0, gap)
		for i := range g.Events {
			g.Events[i].Key = named(keys[i])
		}
		return g
	}
	var k KeyCheck
	k.AddReference(keyed("5s", "a", "a"))
	k.AddReference(keyed("5s", "a", "b"))
	k.AddReference(keyed("5s", "a", "-"))
	if k.Stopped != 1 || k.Missed != 1 || k.Split != 1 {
		t.Errorf("%+v", k)
	}
	k.AddKey(ids(group(0, "5s"), "one reference", "another").Events)
	k.AddKey(ids(group(0, "5s"), "one reference").Events)
	k.AddKey(contents(ids(group(0, "20h"), "one reference"), "10", "12").Events)
	k.AddKey(contents(ids(group(0, "5s"), "one reference"), "10", "12").Events) // close: a repeat that was changed
	if k.Merged != 1 || k.MergedByContent != 1 {
		t.Errorf("%+v", k)
	}
}

func TestHistogram(t *testing.T) {
	var h Histogram
	if len(h.Bins()) != 0 {
		t.Error("an empty one has bins")
	}
	for _, gap := range []time.Duration{0, 999 * time.Microsecond, time.Millisecond, 150 * time.Millisecond, 400 * 24 * time.Hour} {
		h.Add(gap)
	}
	bins := h.Bins()
	if bins[0] != (Bin{0, time.Millisecond, 2}) || bins[1].Count != 1 || bins[2].Count != 0 || bins[3].Count != 1 || bins[len(bins)-1] != (Bin{365 * 24 * time.Hour, 0, 1}) {
		t.Errorf("%+v", bins)
	}
}

func TestLength(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 µs", 999 * time.Microsecond: "999 µs", 42 * time.Millisecond: "42 ms", 1500 * time.Millisecond: "1.5 s", 30 * time.Second: "30 s",
		90 * time.Second: "1 min 30 s", time.Hour: "1 h", 90 * time.Minute: "1 h 30 min", 49 * time.Hour: "2 d 1 h",
	} {
		if got := Length(d); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
}

// Of very many repeats the survey keeps a part, in which a pile still is one.
func TestSurveyIsBounded(t *testing.T) {
	var s Survey
	for i := range 3 * sampleMost {
		g := Group{Events: []Event{{At: int64(i) * 1e9}, {At: int64(i)*1e9 + 45_100_000}}}
		s.Add(g)
	}
	if len(s.moments) > sampleMost {
		t.Errorf("%d are kept", len(s.moments))
	}
	if c := s.Context(Settings{Queue: "sqs"}); len(c.Timeouts) != 1 || c.Timeouts[0].Length != 45*time.Second {
		t.Errorf("%+v", c.Timeouts)
	}
}

// The examples are those with the most events, whatever the order.
func TestTallyKeepsTheMost(t *testing.T) {
	c := context(Settings{})
	a, b := Tally{Limit: 2}, Tally{Limit: 2}
	groups := []Group{group(1, "5s"), group(2, "5s", "6s", "7s"), group(3, "5s", "6s"), group(4, "5s", "6s"), group(5)}
	for i := range groups {
		a.Add(c, groups[i])
		b.Add(c, groups[len(groups)-1-i])
	}
	for _, tally := range []Tally{a, b} {
		if len(tally.Examples) != 2 || tally.Examples[0].Group.Reference != groups[1].Reference || len(tally.Examples[1].Group.Events) != 3 {
			t.Errorf("%+v", tally.Examples)
		}
		if tally.Repeats != 8 || tally.References != 4 || tally.Times[2] != 1 || tally.Times[3] != 2 || tally.Times[4] != 1 {
			t.Errorf("%+v", tally)
		}
	}
}
