package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/twiceproof/twiceproof/dialect"
)

// oddKeys are operation keys that a shell, a terminal or a list of lines may take for
// something else.
var oddKeys = []string{
	"order-17", "-dash", "--done", "it's", `a"b`, `"quoted"`, `"half`, "a b", " a ", "$HOME", "`id`", "$(id)", "!!", "*", "~", "#1", "a;b|c>d&e", `back\slash`, `\033[2J`, "%0a", "a=b",
	"Bestellung-Ä-ß", "注文", "😀", "e\u0301", "\u00e9", "a\u00a0b", "a\u202eb", "a\u200db", "a\nb", "a\r", "a\tb", "\x1b[31mred\x1b]0;title\a", "\x7f", "\x0112", `{"a":"<&>"}`, "\u0085", "\ufffd",
}

// heldKeys holds an operation under each of these keys.
func heldKeys(t *testing.T, driver, dsn, token, now string, keys []string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	place := "?"
	if driver == "pgx" {
		place = "$1"
	}
	for _, key := range keys {
		if _, err := db.ExecContext(t.Context(), "INSERT INTO idempotency_records (claim_token, job_type, claimed_at, lease_ms, first_claimed_at, state, held_at, hold_reason, operation_key) "+
			"VALUES ("+token+", 'charge.create', "+now+", 1000, "+now+", 'held', "+now+", 'max_acts', "+place+")", key); err != nil {
			t.Fatalf("%q: %v", key, err)
		}
	}
	return db
}

// words are what bash makes of a command.
func words(t *testing.T, command string) []string {
	t.Helper()
	out, err := exec.CommandContext(context.WithoutCancel(t.Context()), "bash", "-c", "printf '%s\\0' "+command).Output()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

func wantPlain(t *testing.T, what, text string) {
	t.Helper()
	if i := strings.IndexFunc(text, func(c rune) bool { return c != '\n' && c != '\t' && !unicode.IsPrint(c) }); i >= 0 || !utf8.ValidString(text) {
		t.Errorf("%s: %q would reach the terminal", what, text[max(0, i):min(len(text), max(0, i)+20)])
	}
}

// Whatever a key holds, each command that held prints, pasted into a shell, decides on that
// very record, and so does each line of --lines. Nothing that a terminal obeys is printed.
func TestOddKeys(t *testing.T) {
	noSources(t)
	t.Chdir(t.TempDir())
	file := filepath.Join(t.TempDir(), "odd.db")
	schema, err := dialect.Load("sqlite", "")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), schema.Schema); err != nil {
		t.Fatal(err)
	}
	servers := append(peopleServers(t), peopleServer{"sqlite", "sqlite", file, "sqlite://" + file, "lower(hex(randomblob(16)))", "1767225600000"})
	for _, s := range servers {
		t.Run(s.dialect, func(t *testing.T) {
			keys := oddKeys
			if s.dialect == "sqlite" {
				keys = append([]string{"\xff\xfe"}, keys...)
			}
			db := heldKeys(t, s.driver, s.dsn, s.token, s.now, keys)
			t.Setenv("DATABASE_URL", s.address)
			for _, how := range []func(*testing.T){pasteAll, pipeAll} {
				if _, err := db.ExecContext(t.Context(), "UPDATE idempotency_records SET state = 'held', completed_at = NULL, completion = NULL, resolved_by = NULL, resolution = NULL"); err != nil {
					t.Fatal(err)
				}
				how(t)
				var open int
				if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM idempotency_records WHERE state = 'held'").Scan(&open); err != nil || open > 0 {
					t.Errorf("%d are left, %v", open, err)
				}
			}
		})
	}
}

// do runs a command, which prints nothing that a terminal obeys.
func do(t *testing.T, in string, want int, args ...string) string {
	t.Helper()
	var o, e strings.Builder
	if status := run(t.Context(), args, stdio{strings.NewReader(in), &o, &e}); status != want {
		t.Fatalf("%q: status %d, want %d\n%s%s", args, status, want, o.String(), e.String())
	}
	wantPlain(t, args[0], o.String()+e.String())
	return o.String()
}

func pasteAll(t *testing.T) {
	var r struct {
		Held []struct {
			Key     string
			Resolve map[string]string
		}
	}
	if err := json.Unmarshal([]byte(do(t, "", statusFound, "held", "--json")), &r); err != nil {
		t.Fatal(err)
	}
	text := do(t, "", statusFound, "held")
	for _, h := range r.Held {
		command := h.Resolve["done"]
		if !strings.Contains(text, command+"\n") {
			t.Errorf("%q: not in the text: %s", h.Key, command)
		}
		args := words(t, strings.Replace(command, "--why why", "--why because --apply", 1))
		out := do(t, "", statusGood, args[1:]...)
		if decided := words(t, strings.TrimSuffix(strings.TrimPrefix(strings.SplitN(out, "\n", 2)[0], "charge.create "), ": resolved")); len(decided) != 1 || utf8.ValidString(decided[0]) && decided[0] != h.Key {
			t.Errorf("%q: decided on %q", h.Key, decided)
		}
	}
}

func pipeAll(t *testing.T) {
	lines := do(t, "", statusFound, "held", "--lines")
	do(t, lines, statusGood, "resolve", "--stdin", "--done", "--why", "because", "--apply")
}

// A database that somebody else has locked is not told as a wrong address.
func TestHeldOnALockedDatabase(t *testing.T) {
	noSources(t)
	t.Chdir(t.TempDir())
	schema, err := dialect.Load("sqlite", "")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:locked.db")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, statement := range []string{schema.Schema, "BEGIN EXCLUSIVE"} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	var o, e strings.Builder
	held := []string{"held", "--dsn", "sqlite:locked.db"}
	if status := run(t.Context(), held, stdio{strings.NewReader(""), &o, &e}); status != statusUsage || !strings.Contains(e.String(), "hint: another process is writing into the file") {
		t.Errorf("status %d\n%s%s", status, o.String(), e.String())
	}
	if _, err := db.ExecContext(t.Context(), "COMMIT"); err != nil {
		t.Fatal(err)
	}
	if status := run(t.Context(), held, stdio{strings.NewReader(""), &o, &e}); status != statusGood { // the control
		t.Errorf("status %d\n%s%s", status, o.String(), e.String())
	}
}

// What the record cannot keep is refused before anything is shown.
func TestResolveKeepsWhatIsSaid(t *testing.T) {
	noSources(t)
	for said, args := range map[string][]string{
		"--by is longer than the 255 characters": {"--why", "ticket 41", "--by", strings.Repeat("ä", 256)},
		"--why is longer than the 8000":          {"--why", strings.Repeat("ä", 8001)},
		"--why is no UTF-8":                      {"--why", "\xff"},
		"no database is named":                   {"--why", strings.Repeat("ä", 8000), "--by", strings.Repeat("ä", 255)}, // the control
	} {
		var o, e strings.Builder
		if status := run(t.Context(), append([]string{"resolve", "--done", "key"}, args...), stdio{strings.NewReader(""), &o, &e}); status != statusUsage || !strings.Contains(e.String(), "error: "+said) {
			t.Errorf("%s: status %d\n%.300s", said, status, e.String())
		}
	}
}
