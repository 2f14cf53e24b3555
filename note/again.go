package note

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// again: what result.json says counts only as far as the stored histories say it, too.
// Counter-example: a verdict that somebody has changed to ok.
func (d *doubts) again() {
	if d.in.Plan == nil { // nothing says what was permitted, and there is a doubt for that
		return
	}
	for _, stored := range d.in.Report.Results {
		name := stored.Version + "/" + stored.Label()
		now, ok := sameCase(d.in.Again, stored)
		switch {
		case !ok:
			d.add(No, "result.json has "+name+", and plan.json has not", replayAgain)
		case now.Verdict.Verdict == judge.Unknown && stored.Verdict.Verdict != judge.Unknown:
			d.add(Unknown, fmt.Sprintf("%s: result.json says %s, which its history does not show: %s", name, verdictWords(stored.Verdict), now.Why), replayAgain)
		case now.Verdict.Verdict != stored.Verdict.Verdict || now.Kind != stored.Kind:
			d.add(No, fmt.Sprintf("%s: result.json says %s, and its history, judged again, %s: %s", name, verdictWords(stored.Verdict), verdictWords(now.Verdict), orUnsaidWhy(now.Why)), replayAgain)
		case !reflect.DeepEqual(numbers(now), numbers(stored)):
			d.add(No, name+": result.json has other numbers than its history", replayAgain)
		}
	}
	for _, now := range d.in.Again {
		if _, ok := sameCase(d.in.Report.Results, now); !ok && d.in.Report.Complete {
			d.add(Unknown, fmt.Sprintf("plan.json has %s/%s, and result.json has not", now.Version, now.Label()), replayAgain)
		}
	}
}

// numbers are all but the texts, which another version may word otherwise.
func numbers(r judge.Result) judge.Result {
	r.Verdict, r.What, r.OK, r.Rerun, r.Facts = judge.Verdict{}, "", "", "", nil
	if len(r.AllowedEffects) == 0 {
		r.AllowedEffects = nil
	}
	return r
}

func sameCase(results []judge.Result, as judge.Result) (judge.Result, bool) {
	i := slices.IndexFunc(results, func(r judge.Result) bool { return r.Version == as.Version && r.Label() == as.Label() })
	if i < 0 {
		return judge.Result{}, false
	}
	return results[i], true
}

func verdictWords(v judge.Verdict) string {
	return strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(v.Verdict+" "+v.Kind), judge.Violation+" "), "_", " ")
}

func orUnsaidWhy(why string) string {
	if why == "" {
		return "nothing wrong was seen"
	}
	return why
}

// altered: the plan and the histories are those that this replay left.
func (d *doubts) altered() {
	r := d.in.Report
	switch {
	case d.in.Plan == nil || !r.Complete: // there is a doubt for that already
	case len(r.Files) == 0:
		d.add(Unknown, "result.json does not say which plan and histories are its own", replayAgain)
	case len(d.in.Altered) > 0:
		d.add(No, "the evidence was changed, or put together from several replays: not as the replay left it is "+some(d.in.Altered), replayAgain)
	}
}

// code: a replay proves the code that it ran.
func (d *doubts) code() {
	if changed := d.in.Since.Changed; len(changed) > 0 {
		d.add(No, "the code has changed since the replay: "+some(changed), replayAgain)
	}
}
