package main

import (
	"time"

	"github.com/twiceproof/twiceproof/repeats"
	"github.com/twiceproof/twiceproof/repeats/scan"
)

// repeatsResult is what --json prints.
type repeatsResult struct {
	Schema             string          `json:"schema"`
	Verdict            string          `json:"verdict"`
	Doubt              []string        `json:"doubt"`
	Repeats            int             `json:"repeats"`
	Sources            []repeatsSource `json:"sources"`
	LeftOut            map[string]int  `json:"left_out"`
	IdenticalSameFile  int             `json:"identical_in_one_file"`
	IdenticalOtherFile int             `json:"identical_in_two_files"`
	Notes              []string        `json:"notes"`
	Alike              *repeatsAlike   `json:"alike,omitempty"`
	Joined             *repeatsJoined  `json:"joined,omitempty"`
	Key                *repeatsKey     `json:"key,omitempty"`
}

type repeatsSource struct {
	Events       int                     `json:"events"`
	References   int                     `json:"references"`
	Repeated     int                     `json:"repeated_references"`
	Repeats      int                     `json:"repeats"`
	CoversMS     int64                   `json:"covers_ms"`
	EventsEach   map[int]int             `json:"references_by_events"`
	SameMessage  int                     `json:"same_message"`
	OtherMessage int                     `json:"other_message"`
	Classes      map[string]repeatsClass `json:"classes"`
	Histogram    []repeatsBin            `json:"histogram"`
	Timeouts     []repeatsTimeout        `json:"timeouts"`
	Moments      int                     `json:"moments"`
	Deploys      *repeatsDeploys         `json:"deploys,omitempty"`
	Examples     []repeatsExample        `json:"examples,omitempty"`
}

type repeatsClass struct {
	Repeats    int            `json:"repeats"`
	Unsure     int            `json:"unsure"`
	Also       map[string]int `json:"could_be"`
	ShortestMS float64        `json:"shortest_ms"`
	LongestMS  float64        `json:"longest_ms"`
	Parts      map[string]int `json:"parts"`
	Evidence   string         `json:"evidence"`
}

type repeatsBin struct {
	FromMS int64 `json:"from_ms"`
	ToMS   int64 `json:"to_ms,omitempty"`
	Count  int   `json:"count"`
}

type repeatsTimeout struct {
	MS    int64 `json:"ms"`
	Given bool  `json:"given"`
	Gaps  int   `json:"gaps"`
}

type repeatsDeploys struct {
	Number  int     `json:"number"`
	Near    int     `json:"repeats_beside"`
	Share   float64 `json:"share"`
	Chance  float64 `json:"chance"`
	Cluster bool    `json:"go_together"`
}

type repeatsExample struct {
	Reference string           `json:"reference"`
	First     string           `json:"first"`
	Events    int              `json:"events"`
	Repeats   []repeatsFinding `json:"repeats"`
}

type repeatsFinding struct {
	At    string   `json:"at"`
	GapMS float64  `json:"gap_ms"`
	Class string   `json:"class"`
	Also  []string `json:"could_be,omitempty"`
	Why   string   `json:"why"`
}

type repeatsAlike struct {
	References int                `json:"references"`
	Kinds      map[string]int     `json:"kinds"`
	Pairs      []repeatsAlikePair `json:"pairs,omitempty"`
}

type repeatsAlikePair struct {
	A string `json:"a"`
	B string `json:"b"`
}

type repeatsJoined struct {
	Both           int   `json:"once_in_each"`
	RepeatedFirst  int   `json:"repeated_in_first"`
	RepeatedSecond int   `json:"repeated_in_second"`
	RepeatedBoth   int   `json:"repeated_in_both"`
	OnlyFirst      int   `json:"only_in_first"`
	OnlySecond     int   `json:"only_in_second"`
	OutsideFirst   int   `json:"only_in_first_outside"`
	OutsideSecond  int   `json:"only_in_second_outside"`
	ApartMS        int64 `json:"apart_ms"`
	Zone           bool  `json:"looks_like_time_zones"`
}

type repeatsKey struct {
	Stopped  int            `json:"same_key"`
	Missed   int            `json:"another_key"`
	Split    int            `json:"split_references"`
	Merged   int            `json:"merged_keys"`
	Content  int            `json:"merged_by_content"`
	Unusable map[string]int `json:"unusable"`
}

func repeatsResultOf(l *look, r *scan.Result, doubt []string) repeatsResult {
	all := repeatsResult{
		Schema: repeatsSchema, Verdict: "none", Doubt: append([]string{}, doubt...), Repeats: r.Repeats(), LeftOut: r.Left,
		IdenticalSameFile: r.Identical.SameFile, IdenticalOtherFile: r.Identical.OtherFile,
		Notes: append(append([]string{}, l.notes...), l.clockNotes()...),
	}
	switch {
	case r.Repeats() > 0:
		all.Verdict = "found"
	case len(doubt) > 0:
		all.Verdict = "unknown"
	}
	for i := range r.Sources {
		if i == 0 || r.Joined != nil {
			all.Sources = append(all.Sources, repeatsSourceOf(&r.Sources[i], l.show))
		}
	}
	all.Alike = repeatsAlikeOf(r.Alikes, l.show)
	if j := r.Joined; j != nil {
		middle, zone := j.Apart()
		all.Joined = &repeatsJoined{
			j.Both, j.RepeatedFirst, j.RepeatedSecond, j.RepeatedBoth, j.OnlyFirst, j.OnlySecond, j.OutsideFirst, j.OutsideSecond,
			middle.Milliseconds(), zone,
		}
	}
	if k := r.Key; k != nil {
		all.Key = &repeatsKey{k.Stopped, k.Missed, k.Split, k.Merged, k.MergedByContent, k.Unusable}
	}
	return all
}

func repeatsSourceOf(s *scan.Source, show bool) repeatsSource {
	out := repeatsSource{
		Events: s.Events, References: s.References, Repeated: s.Tally.References, Repeats: s.Repeats, CoversMS: s.Covers.Milliseconds(),
		EventsEach: s.Times, SameMessage: s.Same, OtherMessage: s.Other, Classes: map[string]repeatsClass{}, Moments: len(s.Context.Bursts),
		Histogram: []repeatsBin{}, Timeouts: []repeatsTimeout{},
	}
	for class, t := range s.Classes {
		also := map[string]int{}
		for c, n := range t.Also {
			also[string(c)] = n
		}
		out.Classes[string(class)] = repeatsClass{t.Repeats, t.Unsure, also, milliseconds(t.Shortest), milliseconds(t.Longest), t.Lengths, t.Example}
	}
	for _, b := range s.Gaps.Bins() {
		out.Histogram = append(out.Histogram, repeatsBin{b.From.Milliseconds(), b.To.Milliseconds(), b.Count})
	}
	for _, t := range s.Context.Timeouts {
		out.Timeouts = append(out.Timeouts, repeatsTimeout{t.Length.Milliseconds(), t.Given, t.Gaps})
	}
	if d := s.Context.Deploys; len(d.At) > 0 {
		out.Deploys = &repeatsDeploys{len(d.At), d.Near, d.Share, d.Chance, d.Cluster()}
	}
	if show {
		for _, e := range s.Examples {
			out.Examples = append(out.Examples, repeatsExampleOf(e))
		}
	}
	return out
}

func repeatsExampleOf(e repeats.Example) repeatsExample {
	out := repeatsExample{Reference: e.Group.Reference, Events: len(e.Group.Events), First: instant(e.Group.Events[0].At), Repeats: []repeatsFinding{}}
	for _, f := range e.Findings {
		var also []string
		for _, c := range f.Also {
			also = append(also, string(c))
		}
		out.Repeats = append(out.Repeats, repeatsFinding{instant(f.At), milliseconds(f.Gap), string(f.Class), also, f.Why()})
	}
	return out
}

func repeatsAlikeOf(a repeats.Alikes, show bool) *repeatsAlike {
	if a.Families == 0 {
		return nil
	}
	out := &repeatsAlike{References: a.Families, Kinds: a.Kinds}
	if show {
		for _, p := range a.Examples {
			out.Pairs = append(out.Pairs, repeatsAlikePair{p.A, p.B})
		}
	}
	return out
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func instant(at int64) string { return time.UnixMicro(at).UTC().Format("2006-01-02T15:04:05.000000Z") }
