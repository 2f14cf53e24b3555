package main

import (
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/hinted"
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

// The forms that programs write: from here, the whole path, and SQLAlchemy's, of which
// three slashes are from here and four are whole.
func TestSQLiteForms(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	if err := os.MkdirAll("sub", 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "sub", "app.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dsn := range []string{
		"sqlite:sub/app.db", "sqlite:./sub/app.db", "sqlite3:sub/app.db", "sqlite:" + path, "sqlite://sub/app.db", "sqlite:///sub/app.db", "sqlite://" + path, "sqlite:///" + path,
		"file:sub/app.db", "file:sub/app.db?mode=ro", "file:" + path, "file://" + path, "file://localhost" + path, "file:////" + path,
		"sqlite+pysqlite:///sub/app.db", "sqlite+aiosqlite:///" + path, "sqlite3:///sub/app.db", "sqlite3:" + path + "?pool=5",
	} {
		db, dialect, err := openDSN(dsn)
		if err == nil {
			err = db.PingContext(t.Context())
			_ = db.Close()
		}
		if err != nil || dialect != "sqlite" || sqlitePath(dsn) != path {
			t.Errorf("%s: %v, %s", dsn, err, sqlitePath(dsn))
		}
	}
	for dsn, want := range map[string]string{
		"sqlite:": "--dsn sqlite:path", "sqlite:///": "--dsn sqlite:path", "sqlite:sub": "--dsn sqlite:path", "sqlite::memory:": "--dsn sqlite:path", "file:nowhere.db": "--dsn sqlite:path",
		"sqlite://:memory:": "--dsn sqlite:path", ":memory:": "--dsn sqlite:path", "sub/app.db": "--dsn sqlite:path", path: "--dsn sqlite:path",
		"": addresses, "sqlserver://x/y": addresses, "postgres:x/y": addresses,
		"host=localhost dbname=x": "write it as postgres://", "user=me": "write it as postgres://", "jdbc:postgresql://localhost/x": "leave jdbc: out",
		"me:hunter2@tcp(db:3306)/shop?parseTime=true": "write it as mysql://", "me@unix(/run/mysqld.sock)/shop": "write it as mysql://", "me:hunter2@/shop": "write it as mysql://",
	} {
		_, _, err := openDSN(dsn)
		var problem *hinted.Error
		if !errors.As(err, &problem) || !strings.Contains(problem.Hint, want) {
			t.Errorf("%s: %v", dsn, err)
		}
	}
}
