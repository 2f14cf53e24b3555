package twiceproof

import (
	"fmt"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

const mine, theirs = "mine", "theirs"

func fingerprint(b byte) job.Fingerprint {
	return job.Fingerprint{Sum: []byte{b}, Fields: "body.amount"}
}

func lookupWith(change func(*job.Stale)) job.Job {
	j := lookupJob()
	change(&j.Stale)
	return j
}

func TestDecide(t *testing.T) {
	stale := func(change func(*record)) record {
		r := record{state: stateClaimed, token: theirs, acts: 1, policy: job.Lookup, fingerprint: fingerprint(1)}
		change(&r)
		return r
	}
	as := func(state string) record { return stale(func(r *record) { r.state = state }) }
	two := lookupWith(func(s *job.Stale) { s.MaxTakeovers, s.MaxLookups = 2, 2 })
	for name, c := range map[string]struct {
		r     record
		print job.Fingerprint
		j     job.Job
		want  decision
	}{
		"completed":              {as(stateCompleted), fingerprint(1), lookupJob(), decision{next: nextCompleted}},
		"completed, other print": {as(stateCompleted), fingerprint(2), lookupJob(), decision{next: nextMismatch}},
		"completed, mine":        {stale(func(r *record) { r.state, r.token = stateCompleted, mine }), fingerprint(1), holdJob(), decision{next: nextCompleted}},
		"held":                   {as(stateHeld), fingerprint(1), holdJob(), decision{next: nextHeld}},
		"held, other print":      {as(stateHeld), fingerprint(2), holdJob(), decision{next: nextMismatch}},
		"held, mine":             {stale(func(r *record) { r.state, r.token = stateHeld, mine }), fingerprint(1), holdJob(), decision{next: nextHeld}},
		"live, other print":      {stale(func(r *record) { r.staleFor = -time.Second }), fingerprint(2), holdJob(), decision{next: nextMismatch}},
		"stale, other print":     {stale(func(*record) {}), fingerprint(2), holdJob(), decision{next: nextMismatch}},
		"record without a print": {stale(func(r *record) { r.fingerprint = job.Fingerprint{} }), fingerprint(2), lookupJob(), decision{next: nextTakeOver}},
		"message without one":    {stale(func(*record) {}), job.Fingerprint{}, lookupJob(), decision{next: nextTakeOver}},
		"print of other fields":  {stale(func(r *record) { r.fingerprint.Fields = "body.currency" }), fingerprint(2), lookupJob(), decision{next: nextTakeOver}},

		"mine, live":     {stale(func(r *record) { r.token, r.staleFor = mine, -lease }), fingerprint(1), holdJob(), decision{next: nextAct}},
		"mine, stale":    {stale(func(r *record) { r.token, r.staleFor = mine, lease }), fingerprint(1), holdJob(), decision{next: nextAct}},
		"mine, released": {stale(func(r *record) { r.token, r.acts, r.givenUp = mine, 0, true }), fingerprint(1), holdJob(), decision{next: nextAct}},

		"live by 1 ms":           {stale(func(r *record) { r.staleFor = -time.Millisecond }), fingerprint(1), lookupJob(), decision{next: nextLive, wait: time.Millisecond}},
		"live, no doubt":         {stale(func(r *record) { r.staleFor, r.acts = -time.Second, 0 }), fingerprint(1), holdJob(), decision{next: nextLive, wait: time.Second}},
		"just stale, lookup":     {stale(func(*record) {}), fingerprint(1), lookupJob(), decision{next: nextTakeOver}},
		"just stale, hold":       {stale(func(*record) {}), fingerprint(1), holdJob(), decision{next: nextHold, reason: holdVanished}},
		"given up, hold":         {stale(func(r *record) { r.givenUp = true }), fingerprint(1), holdJob(), decision{next: nextHold, reason: holdUnknown}},
		"no doubt, hold":         {stale(func(r *record) { r.acts, r.givenUp = 0, true }), fingerprint(1), holdJob(), decision{next: nextTakeOver}},
		"no doubt, lookup":       {stale(func(r *record) { r.acts, r.givenUp = 0, true }), fingerprint(1), lookupJob(), decision{next: nextTakeOver}},
		"no doubt, budgets gone": {stale(func(r *record) { r.acts, r.vanished, r.lookups = 0, 99, 99 }), fingerprint(1), lookupJob(), decision{next: nextTakeOver}},

		"held before, lookup now, at the lease": {stale(func(r *record) { r.policy = job.Hold }), fingerprint(1), lookupJob(), decision{next: nextLive, wait: settle}},
		"1 ms before the settle time is over": {stale(func(r *record) { r.policy, r.staleFor = job.Hold, settle-time.Millisecond }),
			fingerprint(1), lookupJob(), decision{next: nextLive, wait: time.Millisecond}},
		"settle time just over":       {stale(func(r *record) { r.policy, r.staleFor = job.Hold, settle }), fingerprint(1), lookupJob(), decision{next: nextTakeOver, extra: settle}},
		"no policy recorded":          {stale(func(r *record) { r.policy = "" }), fingerprint(1), lookupJob(), decision{next: nextLive, wait: settle}},
		"hold before, no doubt":       {stale(func(r *record) { r.policy, r.acts = job.Hold, 0 }), fingerprint(1), lookupJob(), decision{next: nextTakeOver}},
		"lookup before, hold now":     {stale(func(*record) {}), fingerprint(1), holdJob(), decision{next: nextHold, reason: holdVanished}},
		"budget gone, but settle not": {stale(func(r *record) { r.policy, r.vanished = job.Hold, 99 }), fingerprint(1), lookupJob(), decision{next: nextLive, wait: settle}},

		"5th vanished":               {stale(func(r *record) { r.vanished = 4 }), fingerprint(1), lookupJob(), decision{next: nextTakeOver}},
		"6th vanished":               {stale(func(r *record) { r.vanished = 5 }), fingerprint(1), lookupJob(), decision{next: nextHold, reason: holdTakeovers}},
		"5 vanished, 1 given up":     {stale(func(r *record) { r.vanished, r.givenUp = 5, true }), fingerprint(1), lookupJob(), decision{next: nextTakeOver}},
		"own budget, 2nd vanished":   {stale(func(r *record) { r.vanished = 1 }), fingerprint(1), two, decision{next: nextTakeOver}},
		"own budget, 3rd vanished":   {stale(func(r *record) { r.vanished = 2 }), fingerprint(1), two, decision{next: nextHold, reason: holdTakeovers}},
		"4 look-ups":                 {stale(func(r *record) { r.lookups, r.givenUp = 4, true }), fingerprint(1), lookupJob(), decision{next: nextTakeOver}},
		"5 look-ups":                 {stale(func(r *record) { r.lookups, r.givenUp = 5, true }), fingerprint(1), lookupJob(), decision{next: nextHold, reason: holdLookups}},
		"own budget, 1 look-up":      {stale(func(r *record) { r.lookups = 1 }), fingerprint(1), two, decision{next: nextTakeOver}},
		"resend, within the window":  {stale(func(r *record) { r.knownFor = window - lease }), fingerprint(1), withPolicy(job.Resend), decision{next: nextTakeOver}},
		"resend, 1 ms too late":      {stale(func(r *record) { r.knownFor = window - lease + time.Millisecond }), fingerprint(1), withPolicy(job.Resend), decision{next: nextHold, reason: holdWindow}},
		"resend, late, no doubt":     {stale(func(r *record) { r.knownFor, r.acts = 2*window, 0 }), fingerprint(1), withPolicy(job.Resend), decision{next: nextTakeOver}},
		"resend, late, live":         {stale(func(r *record) { r.knownFor, r.staleFor = 2*window, -1 }), fingerprint(1), withPolicy(job.Resend), decision{next: nextLive, wait: 1}},
		"resend, late, mine":         {stale(func(r *record) { r.knownFor, r.token = 2*window, mine }), fingerprint(1), withPolicy(job.Resend), decision{next: nextAct}},
		"accept_duplicate, 1 act":    {stale(func(*record) {}), fingerprint(1), withPolicy(job.AcceptDuplicate), decision{next: nextTakeOver}},
		"accept_duplicate, 2 acts":   {stale(func(r *record) { r.acts = 2 }), fingerprint(1), withPolicy(job.AcceptDuplicate), decision{next: nextHold, reason: holdActs}},
		"accept_duplicate, 6th gone": {stale(func(r *record) { r.vanished = 5 }), fingerprint(1), withPolicy(job.AcceptDuplicate), decision{next: nextHold, reason: holdTakeovers}},
		"accept_miss":                {stale(func(*record) {}), fingerprint(1), withPolicy(job.AcceptMiss), decision{next: nextAssume}},
		"accept_miss, no doubt":      {stale(func(r *record) { r.acts = 0 }), fingerprint(1), withPolicy(job.AcceptMiss), decision{next: nextTakeOver}},
		"accept_miss, live":          {stale(func(r *record) { r.staleFor = -1 }), fingerprint(1), withPolicy(job.AcceptMiss), decision{next: nextLive, wait: 1}},
		"accept_miss, 6th gone":      {stale(func(r *record) { r.vanished = 5 }), fingerprint(1), withPolicy(job.AcceptMiss), decision{next: nextHold, reason: holdTakeovers}},
		"own budget, 2 look-ups":     {stale(func(r *record) { r.lookups = 2 }), fingerprint(1), two, decision{next: nextHold, reason: holdLookups}},
	} {
		if got := decide(c.r, mine, c.print, c.j); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// Every combination keeps the rules that hold for all of them.
func TestDecideRules(t *testing.T) {
	seen := map[next]int{}
	for r := range everyRecord() {
		for _, j := range everyPolicy() {
			for _, print := range []job.Fingerprint{fingerprint(1), fingerprint(2), {}} {
				d := decide(r, mine, print, j)
				seen[d.next]++
				if broken := brokenRule(r, print, j, d); broken != "" {
					t.Errorf("%+v under %s, print %v: %+v: %s", r, j.Stale.Policy, print.Sum, d, broken)
				}
			}
		}
	}
	if len(seen) != 8 {
		t.Errorf("reached only %v", seen)
	}
}

func everyRecord() func(yield func(record) bool) {
	return func(yield func(record) bool) {
		for i := range 3 * 2 * 6 * 4 * 2 * 3 * 3 * 3 * 2 * 2 {
			pick := func(n int) int { v := i % n; i /= n; return v }
			r := record{
				state:       []string{stateClaimed, stateCompleted, stateHeld}[pick(3)],
				token:       []string{mine, theirs}[pick(2)],
				staleFor:    []time.Duration{-lease, -1, 0, settle - 1, settle, lease}[pick(6)],
				acts:        pick(4),
				givenUp:     pick(2) == 1,
				vanished:    []int{0, 4, 5}[pick(3)],
				lookups:     []int{0, 4, 5}[pick(3)],
				policy:      []job.Policy{job.Hold, job.Lookup, ""}[pick(3)],
				fingerprint: []job.Fingerprint{fingerprint(1), {}}[pick(2)],
				knownFor:    []time.Duration{0, window}[pick(2)],
			}
			if !yield(r) {
				return
			}
		}
	}
}

func brokenRule(r record, print job.Fingerprint, j job.Job, d decision) string {
	claimed := r.state == stateClaimed && !print.Differs(r.fingerprint)
	theirs := claimed && r.token != mine
	for rule, broken := range map[string]bool{
		"acts on another's claim":          d.next == nextAct && (!claimed || r.token != mine),
		"touches its own claim":            r.token == mine && (d.writes() || d.next == nextLive),
		"touches a live claim":             r.staleFor < 0 && d.writes(),
		"touches what is not claimed":      !theirs && d.writes(),
		"hold takes over in doubt":         j.Stale.Policy == job.Hold && d.next == nextTakeOver && r.acts > 0,
		"accept_miss acts in doubt":        j.Stale.Policy == job.AcceptMiss && d.next == nextTakeOver && r.acts > 0,
		"assumes otherwise":                d.next == nextAssume && (j.Stale.Policy != job.AcceptMiss || r.acts == 0),
		"a third effect":                   j.Stale.Policy == job.AcceptDuplicate && d.next == nextTakeOver && r.acts > 1,
		"resends what may be forgotten":    j.Stale.Policy == job.Resend && d.next == nextTakeOver && r.acts > 0 && r.knownFor > 0,
		"looks up too early":               j.Stale.Policy == job.Lookup && d.next == nextTakeOver && r.acts > 0 && r.policy != job.Lookup && r.staleFor < settle,
		"holds without doubt":              d.next == nextHold && (r.acts == 0 || d.reason == ""),
		"live without a wait":              d.next == nextLive && d.wait <= 0,
		"another content is not told":      print.Differs(r.fingerprint) && d.next != nextMismatch,
		"stale and without doubt, no move": theirs && r.acts == 0 && r.staleFor >= 0 && d.next != nextTakeOver,
	} {
		if broken {
			return rule
		}
	}
	return ""
}

func TestLookUpPause(t *testing.T) {
	j := lookupJob() // lease 1 min, settle 10 s
	for lookups, want := range []string{"10s", "10s", "10s", "10s", "16s", "32s", "1m0s", "1m0s"} {
		if got := fmt.Sprint(lookUpPause(lookups, j)); got != want {
			t.Errorf("after %d: %s, want %s", lookups, got, want)
		}
	}
	if got := lookUpPause(1<<40, j); got != lease {
		t.Errorf("after very many: %s", got)
	}
	j.Stale.Settle = time.Hour
	if got := lookUpPause(0, j); got != time.Hour {
		t.Errorf("settle longer than the lease: %s", got)
	}
}
