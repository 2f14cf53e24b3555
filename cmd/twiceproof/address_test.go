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
			dsn := scheme + "://" + rest
			if kind, _ := addressOf(dsn); kind != s.dialect {
				t.Errorf("%s is %s", scheme, kind)
			}
			if err := pinged(t, dsn); err != nil {
				t.Errorf("%s: %v", scheme, err)
			}
		}
		for _, settings := range []string{"pool=5", "encoding=utf8&pool=5&connect_timeout=9", "prepared_statements=false", "conn_max_age=600&conn_health_checks=true"} {
			if err := pinged(t, withParameters(s.address, settings)); err != nil {
				t.Errorf("%s: %v", settings, err)
			}
		}
		if err := pinged(t, withParameters(s.address, "pole=5")); err == nil {
			t.Errorf("%s: what nobody knows is passed over", s.dialect)
		}
		if _, _, err := openDSN("my" + s.dialect + "://" + rest); err == nil {
			t.Errorf("my%s is taken for a database", s.dialect)
		}
	}
}

func pinged(t *testing.T, dsn string) error {
	t.Helper()
	db, _, err := openDSN(dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	return db.PingContext(t.Context())
}

func withParameters(address, more string) string {
	if strings.Contains(address, "?") {
		return address + "&" + more
	}
	return address + "?" + more
}
