package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/change"
	"github.com/twiceproof/twiceproof/internal/hinted"
)

const addresses = "sqlite:///path, postgres://… or mysql://…"

// addressOf takes a database's address in the spelling of any framework, such as SQLAlchemy's
// postgresql+psycopg:// or Rails' mysql2://. It tells the kind, as in dialect.Names or by the
// word that stands there, and the address as its client here takes it. An empty kind: it
// is no address.
func addressOf(dsn string) (kind, address string) {
	scheme, rest, is := strings.Cut(dsn, ":")
	switch kind = change.DatabaseOf(scheme); {
	case is && (kind == "sqlite" || kind == "file"):
		return "sqlite", dsn
	case is && strings.HasPrefix(rest, "//"):
		return kind, kind + ":" + withoutSettings(rest)
	}
	return "", dsn
}

// ofFrameworks are parameters with which frameworks set themselves up, as in Rails' own example
// postgresql://localhost/blog?pool=5: a server that is asked for them refuses the connection.
// Counter-example: sslmode, which is the client's.
var ofFrameworks = []string{
	"pool", "encoding", "reconnect", "prepared_statements", "statement_limit", "advisory_locks", "checkout_timeout", "reaping_frequency", "idle_timeout",
	"conn_max_age", "conn_health_checks",
}

func withoutSettings(address string) string {
	before, query, _ := strings.Cut(address, "?")
	kept := slices.DeleteFunc(strings.Split(query, "&"), func(parameter string) bool {
		name, _, _ := strings.Cut(parameter, "=")
		return name == "" || slices.Contains(ofFrameworks, name)
	})
	if len(kept) == 0 {
		return before
	}
	return before + "?" + strings.Join(kept, "&")
}

// spellings that people know from elsewhere, and the right one.
var spellings = []struct {
	is   *regexp.Regexp
	hint string
}{
	{regexp.MustCompile(`^$`), "give --dsn, or set DATABASE_URL, to " + addresses},
	{regexp.MustCompile(`@(tcp|unix)?\(.*\)?/|^[^/]*@/`), "write it as mysql://user:password@host:3306/database, a socket as mysql://user@/database?socket=/path"},
	{regexp.MustCompile(`(^|\s)(host|dbname|user|service)\s*=`), "write it as postgres://user:password@host:5432/database, a socket as postgres:///database?host=/folder"},
	{regexp.MustCompile(`^jdbc:`), "leave jdbc: out, and write user and password as in postgres://user:password@host/database or mysql://…"},
	{regexp.MustCompile(`^[^:]*$|^:memory:$`), "write --dsn sqlite:path for a file of SQLite; the others are " + addresses},
}

func unknownAddress(dsn string) error {
	problem := &hinted.Error{What: "the database's address is of no known kind", Hint: "write --dsn " + addresses}
	if dsn == "" {
		problem.What = "no database is named"
	}
	for _, s := range spellings {
		if s.is.MatchString(dsn) {
			problem.Hint = s.hint
			break
		}
	}
	return problem
}
