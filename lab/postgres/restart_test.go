package postgres

import (
	"testing"

	"github.com/twiceproof/twiceproof/lab/internal/process/processtest"
)

func TestSettings(t *testing.T) {
	s, err := Start(t.Context(), "fsync=on", "full_page_writes=on")
	if err != nil {
		t.Fatal(processtest.Explain(err))
	}
	defer func() { _ = s.Stop() }()
	for setting, want := range map[string]string{"fsync": "on", "full_page_writes": "on", "listen_addresses": "127.0.0.1"} {
		if got := query(t, connect(t, s.DSN("postgres")), "SHOW "+setting); got != want {
			t.Errorf("%s = %q, want %q", setting, got, want)
		}
	}
}

// What was committed is there again, what was not is gone, and so are the
// connections; port and settings are the same.
func TestRestart(t *testing.T) {
	ctx := t.Context()
	s, err := Start(ctx, "work_mem=5MB")
	if err != nil {
		t.Fatal(processtest.Explain(err))
	}
	defer func() { _ = s.Stop() }()
	dsn, before := s.DSN("postgres"), postmaster(t, s)
	conn := connect(t, dsn)
	for _, statement := range []string{
		"CREATE TABLE effects (what TEXT)", "INSERT INTO effects VALUES ('committed')",
		"BEGIN", "INSERT INTO effects VALUES ('not committed')",
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := s.Restart(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := conn.Exec(ctx, "COMMIT"); err == nil {
		t.Error("a connection outlived the server")
	}
	if s.DSN("postgres") != dsn || postmaster(t, s) == before {
		t.Errorf("address %s, process %d; want %s, and not %d", s.DSN("postgres"), postmaster(t, s), dsn, before)
	}
	conn = connect(t, dsn)
	if got := query(t, conn, "SELECT string_agg(what, ', ') FROM effects"); got != "committed" {
		t.Errorf("the table holds %q", got)
	}
	if got := query(t, conn, "SHOW work_mem"); got != "5MB" {
		t.Errorf("work_mem = %q after the restart", got)
	}
}
