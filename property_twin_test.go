package twiceproof

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/job"
)

// twin is one operation in the database and on apply.
type twin struct {
	*rig
	key     string
	records records
	admin   dialect.Admin
	rec     rec
	seen    map[string]int
}

func newTwin(r *rig) *twin {
	r.cases++
	w := &twin{rig: r, key: fmt.Sprintf("twin-%06d", r.cases)}
	j := holdJob()
	j.Lease = 2 * propertyTick
	var err error
	if w.records, err = newRecords(r.plain, r.d.dialect, j, r.table); err != nil {
		panic(err)
	}
	if w.admin, err = dialect.LoadAdmin(string(r.d.dialect), r.table); err != nil {
		panic(err)
	}
	w.rebind()
	return w
}

func (w *twin) rebind() {
	if w.records.mysql == nil {
		return
	}
	w.records.mysql = newMySQL(w.records.sql, w.table)
	for _, text := range []string{w.admin.Resolve, w.admin.RunAgain} {
		w.records.mysql.statements[text] = dialect.NewPositional(text)
	}
}

// run tells the first difference, or nothing.
func (w *twin) run(all []verb) string {
	var told strings.Builder
	for _, v := range all {
		v = w.fill(v)
		fmt.Fprintf(&told, "%+v\n", v)
		before := w.rec
		var want bool
		switch v.do {
		case vTick:
			w.rec, want = tick(w.rec, v.lease), w.rec.state != noRecord
		case vRead:
			want = w.rec.state != noRecord
		default:
			w.rec, want = apply(w.rec, v)
		}
		if w.seen != nil {
			w.seen[fmt.Sprint(v.do, want)]++
		}
		got, err := w.send(v, before)
		if err != nil {
			return fmt.Sprintf("%s%v", told.String(), err)
		}
		row, err := w.row()
		row.hold = w.rec.hold
		if err != nil || got != want || row != w.rec {
			return fmt.Sprintf("%smatched %v, want %v, %v\nrow  %+v\nwant %+v", told.String(), got, want, err, row, w.rec)
		}
	}
	return ""
}

// fill puts in what the record has.
func (w *twin) fill(v verb) verb {
	for parameter, has := range map[*int8]int8{&v.token: w.rec.token, &v.acts: w.rec.acts, &v.requeues: w.rec.requeues, &v.hold: w.rec.hold} {
		if *parameter == asRead {
			*parameter = has
		}
	}
	v.token = max(v.token, 1) // there is no record yet
	if v.do != vTick {        // the stored lease, with or without the settle time
		if v.lease = 2; policyNames[v.policy] == job.Lookup {
			v.lease = 3
		}
	}
	if v.do == vRepeat && w.rec.again && w.rec.repeatedFor == 0 {
		v.do = vRead // whether a second has passed is not for this test
	}
	return v
}

// send runs the statement by the guard's own method.
func (w *twin) send(v verb, before rec) (matched bool, err error) {
	ctx := context.Background()
	t := w.records
	t.worker, t.job.Stale.Policy = fmt.Sprint("worker", v.by), policyNames[v.policy]
	t.job.Stale.Settle = time.Duration(v.lease)*propertyTick - t.job.Lease
	own := claimed{key: w.key, token: tokenNames[v.token]}
	seen := staleRecord{key: w.key, requeues: int(v.requeues), record: record{token: own.token, acts: int(v.acts)}}
	taking := claimed{key: w.key, token: tokenNames[v.fresh]}
	switch v.do {
	case vTick:
		return before.state != noRecord, w.ages(v.lease)
	case vClaim:
		return w.claims(t, v, before)
	case vTakeOver:
		return t.takeOver(ctx, taking, seen.record, time.Duration(v.extra)*propertyTick)
	case vHold:
		return t.hold(ctx, own, seen.record, reasonNames[v.reason])
	case vAssume:
		return t.assume(ctx, own, seen.record)
	case vActAgain:
		return t.actAgain(ctx, own, int(v.acts))
	case vComplete:
		return t.complete(ctx, own, completionNames[v.completion], bytesOf(v.result))
	case vRelease:
		return t.release(ctx, own, taking.token)
	case vGiveUp:
		return t.giveUp(ctx, own, time.Duration(v.pause)*propertyTick, int(v.lookups))
	case vRenew:
		return t.renew(ctx, own)
	case vLateFinish:
		return t.lateFinish(ctx, own)
	case vRequeue:
		return t.requeue(ctx, seen, time.Duration(v.extra)*propertyTick)
	case vRepeat:
		return t.changed(ctx, t.sql.Repeat, w.key)
	}
	return w.sendBeside(t, v, before)
}

func (w *twin) sendBeside(t records, v verb, before rec) (bool, error) {
	ctx := context.Background()
	if v.do == vRead {
		r, there, err := t.read(ctx, w.key)
		if err == nil && there {
			err = errors.Join(sameRecord(r, before), w.samePage(t, before))
		}
		return there, err
	}
	held, err := w.heldAt()
	if err != nil {
		return false, err
	}
	if v.hold != before.hold {
		held++
	}
	args := []any{tokenNames[v.token], tokenNames[v.fresh], held, fmt.Sprint("person", v.by), fmt.Sprint("why", v.by)}
	if v.do == vResolve {
		return t.changed(ctx, w.admin.Resolve, w.key, args...)
	}
	push := 0
	if v.push {
		push = 1
	}
	return t.changed(ctx, w.admin.RunAgain, w.key, append(args, int(v.acts), push)...)
}

// claims compares what the claim answers, too.
func (w *twin) claims(t records, v verb, before rec) (bool, error) {
	c := claimed{
		key: w.key, token: tokenNames[v.token], reference: fmt.Sprint("reference", v.made), message: bytesOf(v.message),
		print: job.Fingerprint{Sum: bytes.Repeat([]byte{byte(v.made)}, 32), Fields: fmt.Sprint("fields", v.made)},
	}
	r, there, err := t.claim(context.Background(), c)
	if err == nil && !there {
		err = fmt.Errorf("no record after a claim")
	}
	if err == nil {
		err = sameRecord(r, w.rec)
	}
	return before.state == noRecord, err
}

// sameRecord: what the guard decides on is what apply's record says.
func sameRecord(got record, r rec) error {
	want := r.record(propertyTick)
	if string(got.fingerprint.Sum) != strings.Repeat(string([]byte{byte(r.made)}), 32) || got.reference != fmt.Sprint("reference", r.made) ||
		!bytes.Equal(got.result, bytesOf(r.result)) {
		return fmt.Errorf("read %+v, want that of %d with result %d", got, r.made, r.result)
	}
	got.fingerprint, got.reference, got.result, got.repeatDue = job.Fingerprint{}, "", nil, false
	got.staleFor, got.knownFor = whole(got.staleFor), whole(got.knownFor)
	if a, b := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); a != b {
		return fmt.Errorf("read %s, want %s", a, b)
	}
	return nil
}

// samePage: what a sweep decides on, too.
func (w *twin) samePage(t records, r rec) error {
	page, err := t.stale(context.Background(), fmt.Sprintf("twin-%06d", w.cases-1), 1)
	if err != nil || len(page) != 1 || page[0].key != w.key {
		return fmt.Errorf("page %+v, %w", page, err)
	}
	got, want := page[0], r.staleRecord(propertyTick)
	r.result = 0 // which a page leaves out
	if got.requeues != want.requeues || got.requeued != want.requeued || whole(got.requeuedFor) != want.requeuedFor {
		return fmt.Errorf("page %+v, want %+v", got, want)
	}
	return sameRecord(got.record, r)
}

// whole is rounded down to ticks, also below zero.
func whole(d time.Duration) time.Duration {
	ticks := d / propertyTick
	if d%propertyTick < 0 {
		ticks--
	}
	return time.Duration(int64(ticks) * int64(propertyTick))
}

func bytesOf(n int8) []byte {
	if n == 0 {
		return nil
	}
	return []byte{'b', '0' + byte(n)}
}
