package twiceproof

import (
	"errors"
	"maps"
	"strings"
	"sync"

	"github.com/twiceproof/twiceproof/dialect"
)

// errCut is a connection that ended in the middle of a statement.
var errCut = errors.New("connection reset by peer")

// strike is what is done around one statement: before it is sent, or after the
// database executed it. An error cuts the connection at that place.
type strike func(verb string, nth int, after bool) error

// faults are the strikes on a guard's connections. Everything below them is the
// real driver and the real database.
type faults struct {
	verbs map[string]string // statement to verb
	claim string            // of an own row, as MySQL is sent it

	mu     sync.Mutex
	strike strike
	sent   map[string]int
	total  int
	fired  int

	onRefusal func(verb string, err error)
	spares    []*faultyConn
	closing   bool
	closes    bool // what was cut; else it is kept for later
}

func newFaults(s dialect.Statements) *faults {
	verbs := verbsOf(s)
	maps.Copy(verbs, ownRowVerbs(s))
	for text, verb := range verbs { // as MySQL is sent them
		verbs[dialect.NewPositional(text).SQL] = verb
	}
	return &faults{verbs: verbs, claim: dialect.NewPositional(s.ClaimOwnRow).SQL, sent: map[string]int{}}
}

func verbsOf(s dialect.Statements) map[string]string {
	return map[string]string{
		s.Claim: "claim", s.Read: "read", s.TakeOver: "take_over", s.Hold: "hold", s.ActAgain: "act_again",
		s.Complete: "complete", s.Release: "release", s.GiveUp: "give_up", s.LateFinish: "late_finish",
		s.Assume: "assume", s.Renew: "renew",
	}
}

// ownRowVerbs are the further ones of RunTx, and the count that is off the path.
func ownRowVerbs(s dialect.Statements) map[string]string {
	return map[string]string{
		"BEGIN": "begin", s.ClaimOwnRow: "claim_own_row", s.MarkOwnRow: "mark_own_row", s.ResultOwnRow: "result_own_row",
		s.SealOwnRow: "seal_own_row", "COMMIT": "commit", s.HoldOwnRow: "hold_own_row", s.Repeat: "repeat",
	}
}

// set starts counting anew; nil heals.
func (f *faults) set(s strike) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.strike, f.sent, f.total, f.fired = s, map[string]int{}, 0, 0
}

// cut fails the n-th sending of a verb, once.
func (f *faults) cut(verb string, n int, after bool, err error) {
	f.set(func(v string, nth int, a bool) error {
		if v == verb && nth == n && a == after {
			return err
		}
		return nil
	})
}

func (f *faults) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.fired
}

func (f *faults) timesSent(verb string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sent[verb]
}

// sending numbers a statement.
func (f *faults) sending(statement string) (verb string, nth int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	verb = f.verb(statement)
	f.sent[verb]++
	f.total++
	return verb, f.sent[verb]
}

// verb of a statement, which MariaDB is sent with others where it is an own row's claim.
func (f *faults) verb(statement string) string {
	if verb, ok := f.verbs[statement]; ok || !strings.Contains(statement, f.claim) {
		return verb
	}
	return f.verbs[f.claim]
}

// refused tells a test of the database's own error.
func (f *faults) refused(verb string, err error) {
	f.mu.Lock()
	tell := f.onRefusal
	f.mu.Unlock()
	if tell != nil {
		tell(verb, err)
	}
}

func (f *faults) at(verb string, nth int, after bool) error {
	f.mu.Lock()
	s := f.strike
	f.mu.Unlock()
	if s == nil {
		return nil
	}
	err := s(verb, nth, after)
	if err != nil {
		f.mu.Lock()
		f.fired++
		f.mu.Unlock()
	}
	return err
}
