package dialect

import "strings"

// Batch are the statements for several operations at once. A dialect without them
// sends the single ones within one transaction, which in SQLite costs no more:
// there is no round trip.
type Batch struct {
	Claim    string // claim for each of a list, which answers the records
	Complete string // complete for each of a list, which answers the keys
	// Completed answers the keys where Complete does not, as in MySQL.
	Completed string
}

// LoadBatch gives them for a table that Load has taken.
func LoadBatch(name, table string) Batch {
	return Batch{
		Claim: only(name, "claim_batch", table), Complete: only(name, "complete_batch", table), Completed: only(name, "completed_batch", table),
	}
}

// Session are the statements about what a connection is set to. Only MySQL needs
// them: PostgreSQL's claim sets it for its own transaction, SQLite has no timers.
type Session struct {
	Read    string // autocommit, the unique key, and the times after which the server ends a transaction
	Several string // whether it takes several statements as one
	Limit   string // sets those times, in seconds, and autocommit
	Claimed string // whether the claim that was sent with others made the record
}

// LoadSession gives them; empty for a dialect without them.
func LoadSession(name, table string) Session {
	return Session{
		Read: only(name, "session", table), Several: only(name, "several", table),
		Limit: only(name, "limit", table), Claimed: only(name, "claimed_own_row", table),
	}
}

// only is a text that not every dialect has.
func only(name, file, table string) string {
	if table == "" {
		table = Table
	}
	text, _ := files.ReadFile(name + "/" + file + ".sql") // none in this dialect
	return strings.ReplaceAll(string(text), Table, table)
}
