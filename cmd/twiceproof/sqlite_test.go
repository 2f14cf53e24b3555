package main

import (
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/twiceproof/twiceproof/dialect"
)

// A file is opened by its address, as a URL and as it is written, whatever its name has
// in it; and nothing is made where there is none.
func TestSQLiteAddress(t *testing.T) {
	s, err := dialect.Load("sqlite", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"plain.db", "a b.db", "a b?#%41.db", "100%.db", "été.db"} {
		path := filepath.Join(t.TempDir(), name)
		made, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: path}).String())
		if err == nil {
			_, err = made.Exec(s.Schema)
		}
		if err != nil {
			t.Fatal(err)
		}
		_ = made.Close()
		escaped := (&url.URL{Path: path}).EscapedPath()
		for _, dsn := range []string{"sqlite://" + path, "sqlite://" + escaped, "sqlite://" + escaped + "?mode=rw"} {
			db, _, err := openRecords(t.Context(), dsn, dialect.Table)
			if err != nil {
				t.Errorf("%s: %v", dsn, err)
				continue
			}
			_ = db.Close()
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if _, _, err := openDSN("sqlite://" + escaped); err == nil {
			t.Errorf("%s is opened, and is not there", name)
		}
	}
}
