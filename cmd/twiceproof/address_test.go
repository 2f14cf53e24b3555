package main

import (
	"strings"
	"testing"
)

// What an application's own configuration has is taken as it is.
func TestAddressesOfFrameworks(t *testing.T) {
	spelled := map[string][]string{
		"postgres": {"postgres", "postgresql", "postgresql+psycopg", "postgresql+psycopg2", "postgresql+asyncpg", "postgis"},
		"mysql":    {"mysql", "mysql2", "trilogy", "mariadb", "mysql+pymysql", "mysql+mysqldb", "mariadb+mariadbconnector"},
	}
	for _, s := range peopleServers(t) {
		_, rest, _ := strings.Cut(s.address, "://")
		for _, scheme := range spelled[s.dialect] {
			db, d, err := openDSN(scheme + "://" + rest)
			if err == nil {
				err = db.PingContext(t.Context())
				_ = db.Close()
			}
			if err != nil || string(d) != s.dialect {
				t.Errorf("%s: %s, %v", scheme, d, err)
			}
		}
		if _, _, err := openDSN("my" + s.dialect + "://" + rest); err == nil {
			t.Errorf("my%s is taken for a database", s.dialect)
		}
	}
}
