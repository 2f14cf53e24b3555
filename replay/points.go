package replay

import (
	"regexp"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire"
)

// faultPoint is a place on the wire, so that it is the same for code that nobody
// here wrote.
type faultPoint struct {
	name string
	// match picks its step; nil: the step that ends the delivery.
	match func(*world, wire.Step) bool
	side  wire.Side
	// inEffect: the point is in the effect's own exchange, whatever carries it.
	inEffect bool
}

// The points.
var (
	beforeEffect = &faultPoint{name: "before the effect's request goes out", side: wire.Before, match: (*world).isEffect, inEffect: true}
	afterEffect  = &faultPoint{name: "after the effect's reply came back, before the worker has it", side: wire.After, match: (*world).isEffect, inEffect: true}

	beforeAcknowledgement = &faultPoint{name: "before the acknowledgement goes out", side: wire.Before}

	afterClaim      = &faultPoint{name: "after the claim was committed, before the worker heard of it", side: wire.After, match: (*world).isClaim}
	afterCompletion = &faultPoint{name: "after the completion was committed, before the worker heard of it", side: wire.After, match: (*world).isCompletion}
)

// isEffect: the call of the outside service, or the statement that makes the row.
func (w *world) isEffect(s wire.Step) bool {
	if w.ownRow() {
		return s.Peer == judge.PeerDatabase && !preparesOnly(s.Text) && makesRow(s.Text, w.Spec.Effects.Statement, w.Table)
	}
	return s.Peer == judge.PeerOutside && s.Text == w.Spec.Outside.Act
}

// unquoted is the text in small letters and without the quotes of names: frameworks write
// INSERT INTO "charges" where people write INSERT INTO charges.
func unquoted(text string) string {
	return strings.ToLower(strings.NewReplacer(`"`, "", "`", "").Replace(text))
}

// makesRow: one of a step's statements is the one that the replay file names, and is not
// the guard's own. Counter-examples are "INSERT", by which the claim is one too, and
// "SELECT", by which the seal is one.
func makesRow(text, statement, table string) bool {
	text, statement, table = unquoted(text), unquoted(statement), unquoted(table)
	record := regexp.MustCompile(`\b` + regexp.QuoteMeta(table) + `\b`)
	return slices.ContainsFunc(strings.Split(text, "; "), func(one string) bool {
		return strings.Contains(one, statement) && !seals.MatchString(one) && (!record.MatchString(one) || record.MatchString(statement))
	})
}

// seals is what the guard's statements around an own row have that name no table, and no
// statement of a job has: of PostgreSQL, and of MySQL.
var seals = regexp.MustCompile(`pg_current_xact_id_if_assigned|twiceproof_own_row|^select last_insert_id\(\)$`)

// preparesOnly: a step that executes nothing is named after its message.
func preparesOnly(text string) bool {
	first, _, _ := strings.Cut(text, " ")
	return slices.Contains([]string{"Parse", "Prepare", "Describe", "Close", "Flush"}, first)
}

func (p *faultPoint) at(w *world, k *worker, s wire.Step) bool {
	if p.match == nil {
		return w.queue.IsEnd(k.name, s)
	}
	return p.match(w, s)
}

// isClaim: the statement that inserts the record. Of an own row the claim is durable
// only with the rest, at COMMIT.
func (w *world) isClaim(s wire.Step) bool {
	if w.ownRow() {
		return isCommit(s)
	}
	return s.Peer == judge.PeerDatabase && !preparesOnly(s.Text) && strings.Contains(s.Text, "INSERT INTO "+w.Table)
}

func (w *world) isCompletion(s wire.Step) bool {
	if w.ownRow() {
		return isCommit(s)
	}
	return s.Peer == judge.PeerDatabase && !preparesOnly(s.Text) && strings.Contains(s.Text, "UPDATE "+w.Table) && strings.Contains(s.Text, "completion =")
}

// isTakeover: the first statement that changes a record that is there.
func (w *world) isTakeover(s wire.Step) bool {
	return s.Peer == judge.PeerDatabase && !preparesOnly(s.Text) && strings.Contains(s.Text, "UPDATE "+w.Table)
}

func isCommit(s wire.Step) bool {
	text := strings.ToUpper(s.Text)
	return s.Peer == judge.PeerDatabase && (text == "COMMIT" || strings.HasSuffix(text, "; COMMIT"))
}
