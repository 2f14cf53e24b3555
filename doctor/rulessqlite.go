package doctor

import (
	"slices"
	"strconv"
	"strings"
)

func (e *exam) sqlite(s SQLite) {
	const subject = "SQLite"
	e.missing(s.Missing)
	wal := strings.EqualFold(s.Journal, "wal")
	if name, shared := Shared(s.Place); shared {
		in := ""
		if wal {
			in = ", in WAL mode, which needs memory that all workers share"
		}
		e.add("sqlite.network", subject, "the file is on %s%s", name, in)
	}
	pragma := func(name string, values ...string) bool {
		return slices.Contains(values, strings.ToLower(s.Pragmas[name]))
	}
	switch {
	case pragma("synchronous", "off", "0"):
		e.add("sqlite.synchronous", subject, "synchronous = OFF")
	case pragma("synchronous", "normal", "1") && (wal || pragma("journal_mode", "wal")):
		e.add("sqlite.synchronous", subject, "synchronous = NORMAL, in WAL mode")
	}
	switch {
	case pragma("journal_mode", "off", "memory"):
		e.add("sqlite.journal_off", subject, "journal_mode = %s", strings.ToUpper(s.Pragmas["journal_mode"]))
	case !wal && !pragma("journal_mode", "wal"):
		e.add("sqlite.journal_mode", subject, "journal_mode = %s", strings.ToUpper(s.Journal))
	}
	if text, is := s.Pragmas["busy_timeout"]; is {
		if n, err := strconv.Atoi(text); err == nil && n < 1000 {
			e.add("sqlite.busy_timeout", subject, "busy_timeout = %d", n)
		}
	}
}
