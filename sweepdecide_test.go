package twiceproof

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

func staleBy(d time.Duration, change func(*staleRecord)) staleRecord {
	r := staleRecord{key: "k", record: record{state: stateClaimed, token: theirs, acts: 1, staleFor: d, policy: job.Lookup, fingerprint: fingerprint(1)}}
	change(&r)
	return r
}

func TestDecideStale(t *testing.T) {
	same := func(*staleRecord) {}
	released := func(r *staleRecord) { r.acts, r.givenUp = 0, true }
	givenUp := func(r *staleRecord) { r.givenUp = true }
	putBack := func(n int, ago time.Duration) func(*staleRecord) {
		return func(r *staleRecord) { r.requeues, r.requeued, r.requeuedFor = n, true, ago }
	}
	goBack := decision{next: nextPutBack, reason: holdVanished}
	for name, c := range map[string]struct {
		r    staleRecord
		j    job.Job
		want decision
	}{
		"1 ms young":              {staleBy(-time.Millisecond, same), lookupJob(), decision{next: nextLive, wait: time.Millisecond}},
		"just stale":              {staleBy(0, same), lookupJob(), goBack},
		"just stale, hold":        {staleBy(0, same), holdJob(), decision{next: nextHold, reason: holdVanished}},
		"just stale, accept_miss": {staleBy(0, same), withPolicy(job.AcceptMiss), decision{next: nextAssume}},
		"just stale, duplicate":   {staleBy(0, same), withPolicy(job.AcceptDuplicate), goBack},
		"just stale, resend":      {staleBy(0, same), withPolicy(job.Resend), goBack},
		"settle still to wait":    {staleBy(settle-1, func(r *staleRecord) { r.policy = job.Hold }), lookupJob(), decision{next: nextLive, wait: 1}},
		"settle over":             {staleBy(settle, func(r *staleRecord) { r.policy = job.Hold }), lookupJob(), decision{next: nextPutBack, reason: holdVanished, extra: settle}},

		"released just now":    {staleBy(0, released), holdJob(), decision{next: nextWait}},
		"released for < lease": {staleBy(lease-1, released), holdJob(), decision{next: nextWait}},
		"released for a lease": {staleBy(lease, released), holdJob(), decision{next: nextPutBack, reason: staleReleased}},
		"given up just now":    {staleBy(0, givenUp), lookupJob(), decision{next: nextWait}},
		"given up for a lease": {staleBy(lease, givenUp), lookupJob(), decision{next: nextPutBack, reason: holdUnknown}},
		"given up, hold":       {staleBy(0, givenUp), holdJob(), decision{next: nextHold, reason: holdUnknown}},

		"put back for < lease":      {staleBy(2*lease, putBack(1, lease-1)), lookupJob(), decision{next: nextWait}},
		"put back for a lease":      {staleBy(2*lease, putBack(1, lease)), lookupJob(), goBack},
		"put back 4 times":          {staleBy(2*lease, putBack(4, lease)), lookupJob(), goBack},
		"put back 5 times, waiting": {staleBy(2*lease, putBack(5, lease-1)), lookupJob(), decision{next: nextWait}},
		"put back 5 times":          {staleBy(2*lease, putBack(5, lease)), lookupJob(), decision{next: nextHold, reason: holdRequeues}},
		"5 times, just stale again": {staleBy(0, putBack(5, lease)), lookupJob(), decision{next: nextWait}},
		"own limit":                 {staleBy(lease, putBack(2, lease)), lookupWith(func(s *job.Stale) { s.MaxTakeovers = 2 }), decision{next: nextHold, reason: holdRequeues}},
		"5 times, hold anyway":      {staleBy(0, putBack(5, 0)), holdJob(), decision{next: nextHold, reason: holdVanished}},
		"no mode of its own":        {staleBy(0, same), ownRowJob(), decision{next: nextHold, reason: holdMode}},
		"mode, young":               {staleBy(-1, same), ownRowJob(), decision{next: nextLive, wait: 1}},
	} {
		if got := decideStale(c.r, c.j); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestDecideMessage(t *testing.T) {
	fields := func(order string, amount json.Number) job.Fields {
		return job.Fields{"body": map[string]any{"order": order, "amount": amount}}
	}
	print, _ := holdJob().Operation.FingerprintOf(fields("k", "12"))
	d := decision{next: nextPutBack, reason: holdVanished}
	for name, c := range map[string]struct {
		stored     bool
		fields     job.Fields
		unreadable error
		want       string // when stale for a lease
	}{
		"its own":       {true, fields("k", "12"), nil, ""},
		"not compared":  {true, nil, nil, ""},
		"none":          {false, nil, nil, holdMessage},
		"unreadable":    {true, nil, errors.New("no JSON"), holdOther},
		"other key":     {true, fields("l", "12"), nil, holdOther},
		"no key":        {true, job.Fields{}, nil, holdOther},
		"other content": {true, fields("k", "13"), nil, holdOther},
		"no print":      {true, fields("k", "1e999"), nil, holdOther},
	} {
		for _, staleFor := range []time.Duration{0, lease - 1, lease} {
			r := staleBy(staleFor, func(r *staleRecord) { r.fingerprint = print })
			want := d
			switch {
			case c.want != "" && staleFor < lease:
				want = decision{next: nextWait}
			case c.want != "":
				want = decision{next: nextHold, reason: c.want}
			}
			if got := decideMessage(r, d, c.stored, c.fields, c.unreadable, holdJob()); got != want {
				t.Errorf("%s, stale for %s: %+v, want %+v", name, staleFor, got, want)
			}
		}
	}
}

// A sweep never does more than a delivery would, whatever the record.
func TestDecideStaleRules(t *testing.T) {
	seen := map[next]int{}
	for one := range everyRecord() {
		for _, j := range everyPolicy() {
			delivery := decide(one, "", job.Fingerprint{}, j)
			for _, r := range []staleRecord{
				{record: one}, {record: one, requeues: 1, requeued: true, requeuedFor: lease - 1},
				{record: one, requeues: 4, requeued: true, requeuedFor: lease}, {record: one, requeues: 5, requeued: true, requeuedFor: lease},
			} {
				d := decideStale(r, j)
				seen[d.next]++
				for rule, broken := range map[string]bool{
					"acts or takes over":                 d.next == nextAct || d.next == nextTakeOver || d.next == nextMismatch,
					"puts back what is not taken over":   (d.next == nextPutBack || d.next == nextWait) && delivery.next != nextTakeOver,
					"leaves what a delivery would write": delivery.writes() && d.next != nextPutBack && d.next != nextWait && !d.writes(),
					"decides otherwise":                  delivery.next != nextTakeOver && d != delivery,
					"touches a live claim":               r.staleFor < 0 && (d.writes() || d.next == nextPutBack),
					"twice a lease":                      d.next == nextPutBack && r.requeued && r.requeuedFor < lease,
					"too often":                          d.next == nextPutBack && r.requeues >= 5,
					"holds at once for itself":           d.next == nextHold && delivery.next == nextTakeOver && r.staleFor < lease,
				} {
					if broken {
						t.Errorf("%+v under %s: %+v: %s", r, j.Stale.Policy, d, rule)
					}
				}
			}
		}
	}
	if len(seen) != 7 {
		t.Errorf("reached only %v", seen)
	}
}
