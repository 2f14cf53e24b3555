package replay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// journalWorker notes what it has in hand, and does what another one has left in hand before it
// asks for more.
func journalWorker(journal string) {
	switch left, err := os.ReadFile(journal); {
	case err == nil:
		chargeNoted(journal, string(left))
	case !errors.Is(err, fs.ErrNotExist):
		panic(err)
	}
	for {
		for _, m := range call("ReceiveMessage", map[string]any{"WaitTimeSeconds": 20}) {
			m := m.(map[string]any)
			chargeNoted(journal, m["Body"].(string))
			call("DeleteMessage", map[string]any{"ReceiptHandle": m["ReceiptHandle"]})
		}
	}
}

func chargeNoted(journal, body string) {
	if err := os.WriteFile(journal, []byte(body), 0o600); err != nil {
		panic(err)
	}
	if !chargeOnce(body) {
		panic("the charge was not made")
	}
	if err := os.Remove(journal); err != nil {
		panic(err)
	}
}

// A second kill may strike a worker that has not asked for a message yet: it was no worker that
// does not start.
func TestASecondKillBeforeTheWorkerAsks(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, err := chargeRequest(t.TempDir(), fmt.Sprintf(`version: 1
job: charge.create
environment: {broker: AWS_ENDPOINT_URL_SQS, outside: PAYMENTS_URL}
versions: {old: {run: "'%s' journal '%s'"}}
message: {body: '{"order_id": "{{key}}"}'}
outside: {act: POST /charges, operation: body.order_id, reference: body.reference, look_up: "GET /charges/{reference}"}
`, self, filepath.Join(t.TempDir(), "journal")), judge.EveryStep)
	if err != nil {
		t.Fatal(err)
	}
	r.Rung = judge.Pair
	out, err := planAndRun(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	got, early := out.Results[0], struckEarly(out.Histories["old/"+judge.EveryStep])
	if got.Verdict.Verdict != judge.OK || !early {
		t.Errorf("%s: %s; struck before it asked: %t", got.Verdict, got.Why, early)
	}
}

// struckEarly: some worker that a second kill has struck was never ready.
func struckEarly(history []judge.Event) bool {
	ready := map[string]bool{}
	return slices.ContainsFunc(history, func(e judge.Event) bool {
		if e.Event == judge.EventWorker && e.What == judge.WorkerReady {
			ready[e.Worker] = true
		}
		return e.Event == judge.EventFault && e.Detail == secondKill && !ready[e.Worker]
	})
}
