package replay

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// lockingWorker does nothing with a message but to acknowledge it. The first one that finds
// no mark keeps SQLite's lock for as long as it lives.
func lockingWorker(mark string) {
	db, err := sql.Open("sqlite", strings.TrimPrefix(os.Getenv("DATABASE_URL"), "sqlite://"))
	if err != nil {
		panic(err)
	}
	for {
		for _, m := range call("ReceiveMessage", map[string]any{"WaitTimeSeconds": 20}) {
			if f, err := os.OpenFile(mark, os.O_CREATE|os.O_EXCL, 0o600); err == nil {
				f.Close()
				must(db.Exec("BEGIN EXCLUSIVE"))
			}
			call("DeleteMessage", map[string]any{"ReceiptHandle": m.(map[string]any)["ReceiptHandle"]})
		}
	}
}

// lockRequest is two cases of a worker that holds the lock in the first one.
func lockRequest(t *testing.T, schema, mark string) Request {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if schema, err = filepath.Abs(schema); err != nil {
		t.Fatal(err)
	}
	r, err := chargeRequest(t.TempDir(), fmt.Sprintf(`version: 1
job: charge.create
environment: {broker: AWS_ENDPOINT_URL_SQS}
versions: {new: {run: "%s lock %s", guarded: true}}
message: {body: '{"order_id": "{{key}}"}'}
outside: {act: "POST /charges", operation: body.order_id}
database: {schema: ["%s"]}
`, self, mark, schema), "sequential")
	if err != nil {
		t.Fatal(err)
	}
	r.Only = append(r.Only, "two_operations")
	return r
}

// A database that a worker holds is of one case: that one could not be told, and the next one
// is told as ever.
func TestALockedDatabaseEndsOneCase(t *testing.T) {
	t.Parallel()
	out, err := planAndRun(t.Context(), lockRequest(t, "../dialect/sqlite/schema.sql", filepath.Join(t.TempDir(), "mark")))
	if err != nil {
		t.Fatal(err)
	}
	held, next := out.Results[0], out.Results[1]
	if held.Verdict.Verdict != judge.Unknown || !strings.Contains(held.Why, "waited in vain for the database") || next.Kind != judge.Lost {
		t.Errorf("got %+v, then %+v", held.Verdict, next.Verdict)
	}
}

// A table that is not there is of all cases.
func TestATableThatIsNotThereEndsAll(t *testing.T) {
	t.Parallel()
	mark, schema := filepath.Join(t.TempDir(), "mark"), filepath.Join(t.TempDir(), "schema.sql")
	for name, text := range map[string]string{mark: "", schema: "CREATE TABLE other (id int)"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := planAndRun(t.Context(), lockRequest(t, schema, mark)); err == nil || !strings.Contains(err.Error(), "no such table") {
		t.Errorf("got %v", err)
	}
}
