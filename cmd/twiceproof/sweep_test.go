package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/testdb"
	lab "github.com/twiceproof/twiceproof/lab/sqs"
	"github.com/twiceproof/twiceproof/sqsconsumer"
)

// TestSweepScripts gives each script a job, its database and its queue.
func TestSweepScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/sweep", Setup: sweepSetUp, RequireExplicitExec: true, RequireUniqueNames: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status, "change": changeText, "sql": runSQL, "stale": makeStale, "queued": queued},
	})
}

func sweepSetUp(env *testscript.Env) error {
	if err := os.CopyFS(filepath.Join(env.WorkDir, "job"), os.DirFS("testdata/job")); err != nil {
		return err
	}
	e, err := lab.Start()
	if err != nil {
		return err
	}
	env.Defer(func() { _ = e.Close() })
	queue, err := e.CreateQueue("charges", nil)
	if err != nil {
		return err
	}
	s, err := dialect.Load("sqlite", "")
	if err != nil {
		return err
	}
	path := filepath.Join(env.WorkDir, "a b.db")
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return err
	}
	env.Defer(func() { _ = db.Close() })
	if _, err := db.Exec(s.Schema); err != nil {
		return err
	}
	env.Values["db"], env.Values["sqs"] = db, e
	for name, value := range map[string]string{
		"DATABASE_URL": "sqlite://" + path, "QUEUE_URL": queue, "AWS_ENDPOINT_URL_SQS": e.URL(), "AWS_REGION": "us-east-1",
		"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_EC2_METADATA_DISABLED": "true", "AWS_MAX_ATTEMPTS": "1",
	} {
		env.Setenv(name, value)
	}
	return nil
}

// sql STATEMENT runs it on the script's database.
func runSQL(ts *testscript.TestScript, _ bool, args []string) {
	_, err := ts.Value("db").(*sql.DB).Exec(args[0])
	ts.Check(err)
}

// stale KEY… makes claims whose workers vanished an hour ago.
func makeStale(ts *testscript.TestScript, _ bool, args []string) {
	for i, key := range args {
		message, err := json.Marshal(sqsconsumer.StoredMessage{Body: fmt.Sprintf(`{"order": {"id": %q}}`, key)})
		ts.Check(err)
		past := time.Now().Add(-time.Hour).UnixMilli()
		_, err = ts.Value("db").(*sql.DB).Exec("INSERT INTO idempotency_records (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at, policy, message) "+
			"VALUES ('charge.create', ?, 'claimed', ?, ?, 150000, ?, 'lookup', ?)", key, fmt.Sprintf("%032d", i), past, past, message)
		ts.Check(err)
	}
}

// queued N wants so many messages on the queue.
func queued(ts *testscript.TestScript, _ bool, args []string) {
	if got := fmt.Sprint(ts.Value("sqs").(*lab.Endpoint).Counts("charges").Visible); got != args[0] {
		ts.Fatalf("%s messages on the queue, want %s", got, args[0])
	}
}

// The same on PostgreSQL, by both names of its addresses; a wrong one shows no password.
func TestSweepOnPostgres(t *testing.T) {
	s, err := dialect.Load("postgres", "")
	if err != nil {
		t.Fatal(err)
	}
	dsn := testdb.Postgres(t, s.Schema)
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("INSERT INTO idempotency_records (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at) " +
		"VALUES ('charge.create', 'k1', 'claimed', gen_random_uuid(), now() - interval '1 hour', 150000, now() - interval '1 hour')"); err != nil {
		t.Fatal(err)
	}
	sweep := func(dsn string) (status int, out, errs string) {
		var o, e strings.Builder
		status = run(t.Context(), []string{"sweep", "testdata/job", "--dsn", dsn, "--json", "--show-keys"}, stdio{strings.NewReader(""), &o, &e})
		return status, o.String(), e.String()
	}
	_, rest, _ := strings.Cut(dsn, "://")
	for _, scheme := range []string{"postgres://", "postgresql://"} {
		status, out, errs := sweep(scheme + rest)
		var result struct {
			Schema  string
			Held    int
			Actions []map[string]any
		}
		if err := json.Unmarshal([]byte(out), &result); err != nil || status != statusFound || result.Schema != sweepSchema || result.Held != 1 ||
			result.Actions[0]["key"] != "k1" || result.Actions[0]["reason"] != "no_message" {
			t.Errorf("status %d, %v\n%s%s", status, err, out, errs)
		}
	}
	status, _, errs := sweep("postgres://me:opensesame@127.0.0.1:1/shop?connect_timeout=1")
	if status != statusUsage || strings.Contains(errs, "opensesame") || !strings.Contains(errs, "hint: ") {
		t.Errorf("status %d: %s", status, errs)
	}
}

func TestSweepProgress(t *testing.T) {
	said := make(lines, 1)
	p := &sweepProgress{w: said}
	stop := p.start(time.Millisecond)
	p.add()
	for line := ""; line != "sweeping, 1 stale claims so far\n"; {
		line = <-said
	}
	go func() {
		for range said { // one more may be on its way
		}
	}()
	stop()
	close(said)
}

type lines chan string

func (l lines) Write(b []byte) (int, error) { l <- string(b); return len(b), nil }
