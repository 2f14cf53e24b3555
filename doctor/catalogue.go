package doctor

import "slices"

// Entry is what is always the same about a finding.
type Entry struct {
	ID       string
	Severity Severity
	Voids    bool
	What     string // in general; a finding's own words name what was seen
	Why      string
	Mend     string
}

// Catalogue is every finding there is.
func Catalogue() []Entry {
	return slices.Concat(tableEntries, keyEntries, postgresEntries, mysqlEntries, sqliteEntries, sqsEntries, redisEntries, rabbitEntries,
		celeryEntries, sidekiqEntries, jobEntries)
}

var entries = Catalogue()

func entryOf(id string) (Entry, bool) {
	i := placeOf(id)
	if i < 0 {
		return Entry{}, false
	}
	return entries[i], true
}

// Voids says of a finding's name that, while the finding is there, nothing that a replay
// has shown holds.
func Voids(id string) bool {
	entry, is := entryOf(id)
	return is && entry.Voids
}

func placeOf(id string) int {
	return slices.IndexFunc(entries, func(e Entry) bool { return e.ID == id })
}
