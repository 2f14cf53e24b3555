package dialect

import (
	"embed"
	"fmt"
	"strings"
)

// Table is the default name of the table, and the name the files use.
const Table = "idempotency_records"

//go:embed mysql/*.sql postgres/*.sql sqlite/*.sql */reserved.txt
var files embed.FS

// Names lists the dialects there are.
func Names() []string { return []string{"postgres", "mysql", "sqlite"} }

// Statements are the SQL texts of one dialect for one table.
type Statements struct {
	Schema     string // the table; not run by the guard
	Claim      string // insert the record, or answer the one that is there
	Read       string // the record as it is now
	TakeOver   string // a new claim on a stale one
	Hold       string // a stale claim waits for a person
	Assume     string // a stale claim is taken as done
	ActAgain   string // one more attempt may have its effect
	Complete   string // the effect is there
	Release    string // definitely not applied
	GiveUp     string // nobody can tell
	LateFinish string // an owner that had lost its claim came back
	Renew      string // the job says that it is alive
	Repeat     string // a delivery found the operation completed

	// An effect that is a row: claim, effect and completion in one transaction.
	ClaimOwnRow  string // the first statement
	MarkOwnRow   string // what the seal needs; may be a comment only
	ResultOwnRow string
	SealOwnRow   string // the last statement; fails in any other transaction
	HoldOwnRow   string // the body ended the transaction by itself

	// The sweep.
	Stale   string // one page of stale claims
	Message string // what would be put back
	Requeue string // it is about to be put back
}

// Load gives the statements of a dialect for a table; an empty table means the
// default one. The table is written into the text, so only a plain identifier
// is taken, which is no word of that dialect's SQL.
func Load(name, table string) (Statements, error) {
	if table == "" {
		table = Table
	}
	if err := checkTable(name, table); err != nil {
		return Statements{}, err
	}
	var s Statements
	for file, text := range s.files() {
		sql, err := files.ReadFile(name + "/" + file + ".sql")
		if err != nil {
			return Statements{}, fmt.Errorf("unknown dialect %q; known: %s", name, strings.Join(Names(), ", "))
		}
		*text = strings.ReplaceAll(string(sql), Table, table)
	}
	return s, nil
}

// All are the statements, without their names.
func (s *Statements) All() []string {
	var all []string
	for _, text := range s.files() {
		all = append(all, *text)
	}
	return all
}

func (s *Statements) files() map[string]*string {
	return map[string]*string{
		"schema": &s.Schema, "claim": &s.Claim, "read": &s.Read, "take_over": &s.TakeOver, "hold": &s.Hold,
		"act_again": &s.ActAgain, "complete": &s.Complete, "release": &s.Release, "give_up": &s.GiveUp,
		"late_finish": &s.LateFinish, "assume": &s.Assume, "renew": &s.Renew, "repeat": &s.Repeat,
		"claim_own_row": &s.ClaimOwnRow, "mark_own_row": &s.MarkOwnRow, "result_own_row": &s.ResultOwnRow,
		"seal_own_row": &s.SealOwnRow, "hold_own_row": &s.HoldOwnRow,
		"stale": &s.Stale, "message": &s.Message, "requeue": &s.Requeue,
	}
}
