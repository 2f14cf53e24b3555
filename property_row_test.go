package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

var moments = []string{
	"claimed_at", "first_claimed_at", "completed_at", "held_at", "late_finish_at", "requeued_at", "last_repeat_at",
}

func (w *twin) ages(ticks int8) error {
	var set []string
	for _, column := range moments {
		set = append(set, column+" = "+w.before(column, time.Duration(ticks)*propertyTick))
	}
	_, err := w.plain.ExecContext(context.Background(),
		"UPDATE "+w.table+" SET "+strings.Join(set, ", ")+" WHERE operation_key = '"+w.key+"'")
	return err
}

// heldAt is in microseconds, as a person's decision shows it.
func (w *twin) heldAt() (at int64, err error) {
	expression := map[Dialect]string{
		Postgres: "(extract(epoch FROM held_at) * 1000000)::bigint", MySQL: "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', held_at)", SQLite: "held_at * 1000",
	}[w.d.dialect]
	var micros sql.NullInt64
	err = w.plain.QueryRowContext(context.Background(),
		"SELECT "+expression+" FROM "+w.table+" WHERE operation_key = '"+w.key+"'").Scan(&micros)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return micros.Int64, err
}

// row is the whole row as a rec.
func (w *twin) row() (r rec, err error) {
	since := map[Dialect]string{
		Postgres: "floor(extract(epoch FROM statement_timestamp() - %s) * 1000)::bigint", MySQL: "TIMESTAMPDIFF(MICROSECOND, %s, UTC_TIMESTAMP(6)) DIV 1000",
		SQLite: "CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) - %s",
	}[w.d.dialect]
	var columns []string
	for _, column := range moments {
		columns = append(columns, fmt.Sprintf(since, column))
	}
	token := "claim_token"
	if w.d.dialect == Postgres {
		token = "replace(claim_token::text, '-', '')"
	}
	var ages [7]sql.NullInt64
	var leaseMS int64
	var state, claimToken string
	var by, policy, prints, reference, message, result, completion, reason, resolver, resolution sql.NullString
	err = w.plain.QueryRowContext(context.Background(), "SELECT state, "+token+", lease_ms, claimed_by, policy, acts, given_up, vanished, lookups, requeues, "+
		"fingerprint_fields, reference, message, result, completion, hold_reason, resolved_by, resolution, repeats, "+strings.Join(columns, ", ")+
		" FROM "+w.table+" WHERE operation_key = '"+w.key+"'").Scan(&state, &claimToken, &leaseMS, &by, &policy, &r.acts, &r.givenUp, &r.vanished, &r.lookups,
		&r.requeues, &prints, &reference, &message, &result, &completion, &reason, &resolver, &resolution, &r.repeats,
		&ages[0], &ages[1], &ages[2], &ages[3], &ages[4], &ages[5], &ages[6])
	if errors.Is(err, sql.ErrNoRows) {
		return rec{}, nil
	}
	if err != nil {
		return r, err
	}
	r.state, r.token, r.policy = number(stateNames, state), int8(number(tokenNames, claimToken)), number(policyNames, job.Policy(policy.String))
	r.completion, r.reason = number(completionNames, completion.String), number(reasonNames, reason.String)
	r.by, r.made, r.message, r.result, r.resolver = last(by), last(prints), last(message), last(result), last(resolver)
	r.lease = inTicks(leaseMS)
	for i, age := range []*int8{&r.age, &r.known, &r.completedFor, &r.heldFor, &r.lateFor, &r.requeuedFor, &r.repeatedFor} {
		*age = inTicks(ages[i].Int64)
	}
	r.wasHeld, r.late, r.requeued, r.again = ages[3].Valid, ages[4].Valid, ages[5].Valid, ages[6].Valid
	if ages[2].Valid != (r.state == isCompleted) || last(reference) != r.made || last(resolution) != r.resolver {
		err = fmt.Errorf("completed_at, reference or resolution is another's")
	}
	return r, err
}

func inTicks(ms int64) int8 { return int8(ms / propertyTick.Milliseconds()) }

// last is the number at the end of a word.
func last(s sql.NullString) int8 {
	if s.String == "" {
		return 0
	}
	return int8(s.String[len(s.String)-1] - '0')
}
