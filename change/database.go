package change

import (
	"io/fs"
	"regexp"
	"strings"
)

// Told is a database that is named somewhere: as in dialect.Names, or by the word that
// stands there when it is of no known kind.
type Told struct{ Database, Where string }

// configurations are where frameworks keep what their database is. A value that is
// computed there tells nothing.
var configurations = []struct {
	files []string
	kind  *regexp.Regexp
}{
	{[]string{"config/database.yml"}, regexp.MustCompile(`(?m)(?:^|[{,])[ \t]*(?:adapter:[ \t]*["']?(\w+)|url:[ \t]*["']?([\w+]+):\S)`)},
	{djangoSettings, regexp.MustCompile(`(?m)^[^#\n]*["']ENGINE["']\]?\s*[:=]\s*["'](?:\w+\.)*(\w+)["']`)},
	{[]string{"alembic.ini"}, regexp.MustCompile(`(?m)^sqlalchemy\.url\s*=\s*([\w+]+)://`)},
}

var djangoSettings = []string{"settings.py", "*/settings.py", "settings/*.py", "*/settings/*.py"}

// Databases are those that the frameworks' own configurations name.
func Databases(repository fs.FS) (all []Told) {
	for _, c := range configurations {
		for _, pattern := range c.files {
			names, _ := fs.Glob(repository, pattern) // the patterns are sound
			for _, name := range names {
				all = append(all, databasesIn(repository, name, c.kind)...)
			}
		}
	}
	return all
}

func databasesIn(repository fs.FS, name string, kind *regexp.Regexp) (all []Told) {
	text, _ := fs.ReadFile(repository, name) // what cannot be read names none
	seen := map[string]bool{}
	for _, m := range kind.FindAllSubmatch(text, -1) {
		database := DatabaseOf(string(m[1]))
		if len(m) > 2 {
			database = DatabaseOf(string(m[1]) + string(m[2])) // one of them is empty
		}
		if database != "driver" && !seen[database] { // alembic init writes driver://user:pass@localhost
			seen[database] = true
			all = append(all, Told{database, name})
		}
	}
	return all
}

// DatabaseOf takes the word of an adapter, an engine or an address's scheme.
func DatabaseOf(word string) string {
	kind, _, _ := strings.Cut(strings.ToLower(word), "+") // its driver, as in mysql+pymysql
	switch kind {
	case "postgres", "postgresql", "postgresql_psycopg2", "postgis":
		return "postgres"
	case "mysql", "mysql2", "trilogy", "mariadb":
		return "mysql"
	case "sqlite", "sqlite3", "spatialite":
		return "sqlite"
	}
	return kind
}
