package replay

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// neverClaims puts every message back, as a guard does whose claim the database refuses.
func neverClaims() {
	for {
		for _, m := range call("ReceiveMessage", map[string]any{"WaitTimeSeconds": 20}) {
			fmt.Println("claim operation: no such column; password=" + os.Getenv("SHOP_PASSWORD"))
			call("ChangeMessageVisibility", map[string]any{"ReceiptHandle": m.(map[string]any)["ReceiptHandle"], "VisibilityTimeout": 30})
		}
	}
}

func TestTelling(t *testing.T) {
	const cause = "WARN: put back for 4s: nothing could be stored: PG::UndefinedTable"
	for name, c := range map[string]struct{ printed, want string }{
		"none":                 {"started\nready\nwaiting", "ready | waiting"},
		"our own":              {cause + "\nWARN: Redis#pipelined is DEPRECATED\nWARN: slow\ndone", cause},
		"an error":             {"ERROR: no such table\nINFO: bye", "ERROR: no such table"},
		"the last of them":     {"ERROR: one\nsqlite3.OperationalError: two\n  at line 3", "sqlite3.OperationalError: two"},
		"a warning":            {"WARN: slow\nready", "WARN: slow"},
		"nothing but an aside": {"DeprecationWarning: old", "DeprecationWarning: old"},
	} {
		if got := strings.Join(telling(strings.Split(c.printed, "\n")), " | "); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestAClaimThatAlwaysFailsIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := filepath.Abs("../dialect/sqlite/schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	r, err := chargeRequest(t.TempDir(), fmt.Sprintf(`version: 1
job: charge.create
environment: {broker: AWS_ENDPOINT_URL_SQS}
versions: {new: {run: "%s never", guarded: true}}
message: {body: '{"order_id": "{{key}}"}'}
outside: {act: "POST /charges", operation: body.order_id}
database: {schema: ["%s"]}
`, self, schema), "sequential")
	if err != nil {
		t.Fatal(err)
	}
	r.Environ = append(r.Environ, "SHOP_PASSWORD=swordfish")
	out, err := planAndRun(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	got := out.Results[0]
	if got.Kind != judge.Stuck || !strings.Contains(got.Why, "worker A printed: claim operation: no such column") || strings.Contains(got.Why, "swordfish") {
		t.Errorf("got %+v", got.Verdict)
	}
	received := 0
	for _, e := range out.Histories["new/sequential"] {
		if e.Event == judge.EventQueue && e.What == "received" {
			received++
		}
	}
	if most := 3 * barrenRounds; received < barrenRounds || received > most { // with what sequential puts on the queue again
		t.Errorf("received %d times, want %d to %d", received, barrenRounds, most)
	}
}
