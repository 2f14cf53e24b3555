package guardtest

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/dialect"
)

// errCut is a connection that ended in the middle of a statement.
var errCut = errors.New("connection reset by peer")

// kind is what is done about one sending of a statement.
type kind string

const (
	loseRequest kind = "request" // it never reaches the database
	loseReply   kind = "reply"   // it was executed, and nobody hears of it
	refused     kind = "refused" // the database answers with an error that will not change
	paused      kind = "pause"   // the worker stops before it is sent
)

type fault struct {
	verb string
	kind kind
	nth  int // sendings until it strikes
}

func (f fault) String() string { return string(f.kind) + " of " + f.verb }

// faults are those that wait for a guard's statements.
type faults struct {
	verbs   map[string]verb // by the statement as it is sent
	claim   string          // of an own row, as it is sent
	dialect twiceproof.Dialect
	observe func(verb string, args []any, matched bool)

	mu    sync.Mutex
	armed []fault

	sweepPaused bool
}

// verb is the name of a statement, and the order of its parameters where the
// driver knows them by their place only.
type verb struct {
	name  string
	order []int
	first int // the place of its first argument
}

func newFaults(s Setup, statements dialect.Statements) *faults {
	f := &faults{verbs: map[string]verb{}, dialect: s.Dialect, observe: s.Observe}
	for text, name := range verbsOf(statements) {
		v := verb{name: name}
		if s.Dialect == twiceproof.MySQL {
			p := dialect.NewPositional(text)
			text, v.order = p.SQL, p.Order
		}
		if name == claimOwnRow {
			f.claim = text
		}
		f.verbs[text] = v
	}
	return f
}

func verbsOf(s dialect.Statements) map[string]string {
	return map[string]string{
		s.Claim: "claim", s.Read: "read", s.TakeOver: "take_over", s.Hold: "hold", s.Assume: "assume", s.ActAgain: "act_again",
		s.Complete: "complete", s.Release: "release", s.GiveUp: "give_up", s.LateFinish: "late_finish", s.Renew: "renew", s.Repeat: "repeat",
		s.ClaimOwnRow: claimOwnRow, s.MarkOwnRow: markOwnRow, s.ResultOwnRow: "result_own_row", s.SealOwnRow: "seal_own_row",
		s.HoldOwnRow: "hold_own_row", s.Stale: "stale", s.Message: "message", s.Requeue: "requeue",
		begin: begin, commit: commit,
	}
}

// The two verbs that the driver sends by itself.
const (
	begin  = "begin"
	commit = "commit"
)

// In MariaDB the mark is sent with the claim, and shares its fate.
const (
	claimOwnRow = "claim_own_row"
	markOwnRow  = "mark_own_row"
)

// arm lets a fault wait for the n-th sending of its verb from now on.
func (f *faults) arm(one fault) error {
	known := false
	for _, v := range f.verbs {
		known = known || v.name == one.verb
	}
	if !known {
		return fmt.Errorf("no verb %s", one.verb)
	}
	if one.verb == markOwnRow && f.dialect == twiceproof.MySQL {
		one.verb = claimOwnRow
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed = append(f.armed, one)
	return nil
}

// of is the verb of a statement as it is sent. MariaDB takes several as one, of which
// the claim of an own row is one.
func (f *faults) of(statement string) verb {
	v, ok := f.verbs[statement]
	if before, _, found := strings.Cut(statement, f.claim); !ok && found {
		v = f.verbs[f.claim]
		v.first = strings.Count(before, "?")
	}
	return v
}

// next is the fault that strikes this sending of a verb, if one does.
func (f *faults) next(verb string) (struck kind) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range f.armed {
		if one.verb == verb && one.nth == 1 {
			return one.kind
		}
	}
	return ""
}

// pause stops the worker whose statement it is. The fault is spent first: others go on
// meanwhile. A sweep has no worker, which is the scenario's mistake.
func (f *faults) pause(ctx context.Context, verb string) error {
	k, ok := ctx.Value(workerOf{}).(*worker)
	f.mu.Lock()
	at := slices.IndexFunc(f.armed, func(one fault) bool { return one.verb == verb && one.nth == 1 })
	f.armed = slices.Delete(f.armed, at, at+1)
	f.sweepPaused = f.sweepPaused || !ok
	f.mu.Unlock()
	if !ok {
		return nil
	}
	return k.pause()
}

// sent counts a sending; the fault that struck it is spent.
func (f *faults) sent(verb string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var left []fault
	for _, one := range f.armed {
		if one.verb == verb {
			one.nth--
		}
		if one.nth > 0 {
			left = append(left, one)
		}
	}
	f.armed = left
}

// waiting names the faults that have not struck, and forgets them.
func (f *faults) waiting() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var names []string
	for _, one := range f.armed {
		names = append(names, one.String())
	}
	f.armed = nil
	if f.sweepPaused {
		names = append(names, "a pause of a sweep")
	}
	return strings.Join(names, ", ")
}

// tell reports a statement that the database has executed.
func (f *faults) tell(v verb, args []driver.NamedValue, matched bool) {
	if f.observe == nil || v.name == "" {
		return
	}
	f.observe(v.name, v.numbered(args), matched)
}

// numbered are the arguments in the order of the statement's numbers.
func (v verb) numbered(args []driver.NamedValue) []any {
	args = args[v.first:]
	count := len(args)
	if v.order != nil { // one parameter may stand at several places
		count = slices.Max(append(v.order, -1)) + 1
	}
	numbered := make([]any, count)
	for place, arg := range args {
		at := place
		if v.order != nil {
			at = v.order[place]
		}
		numbered[at] = arg.Value
	}
	return numbered
}
