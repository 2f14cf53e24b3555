package dialect

import "strings"

// Batch are the statements for several operations at once. A dialect without them
// sends the single ones within one transaction, which in SQLite costs no more:
// there is no round trip.
type Batch struct {
	Claim    string // claim for each of a list, which answers the records
	Complete string // complete for each of a list, which answers the keys
}

// LoadBatch gives them for a table that Load has taken.
func LoadBatch(name, table string) Batch {
	if table == "" {
		table = Table
	}
	text := func(file string) string {
		sql, _ := files.ReadFile(name + "/" + file + ".sql") // none in this dialect
		return strings.ReplaceAll(string(sql), Table, table)
	}
	return Batch{Claim: text("claim_batch"), Complete: text("complete_batch")}
}
