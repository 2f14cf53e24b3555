package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// cutWorker charges once, after a look-up. Cut off its queue it goes on, or asks for nothing any
// more.
func cutWorker(mode string) {
	for {
		messages, ok := try("ReceiveMessage", map[string]any{"WaitTimeSeconds": 20})
		for _, m := range messages {
			m := m.(map[string]any)
			acknowledge := func() {
				_, acknowledged := try("DeleteMessage", map[string]any{"ReceiptHandle": m["ReceiptHandle"]})
				ok = ok && acknowledged
			}
			early := strings.HasPrefix(mode, "early")
			if early {
				acknowledge()
			}
			if (ok || !early) && chargeOnce(m["Body"].(string)) && !early {
				acknowledge()
			}
		}
		if !ok && strings.HasSuffix(mode, "hangs") {
			select {}
		}
	}
}

// try is a call whose connection may be cut.
func try(action string, fields map[string]any) (messages []any, ok bool) {
	defer func() { ok = recover() == nil }()
	return call(action, fields), true
}

func chargeOnce(body string) bool {
	var order struct {
		ID        string `json:"order_id"`
		Reference string `json:"reference"`
	}
	if err := json.Unmarshal([]byte(body), &order); err != nil {
		panic(err)
	}
	order.Reference = order.ID
	charges := os.Getenv("PAYMENTS_URL") + "/charges"
	found, err := http.Get(charges + "/" + order.Reference)
	if err != nil {
		return false
	}
	found.Body.Close()
	if found.StatusCode == http.StatusOK {
		return true
	}
	charge, err := json.Marshal(order)
	if err != nil {
		panic(err)
	}
	made, err := http.Post(charges, "application/json", bytes.NewReader(charge))
	if err != nil {
		return false
	}
	made.Body.Close()
	return made.StatusCode == http.StatusCreated
}

// A worker that is cut off its queue and asks for nothing any more is replaced, and what it has
// lost is seen all the same.
func TestCutOffItsQueue(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[string]struct {
		recovery, kind string
		replaced       bool
	}{"goes on": {"5m", "", false}, "hangs": {"2s", "", true}, "early, hangs": {"2s", judge.Lost, true}} {
		t.Run(mode, func(t *testing.T) {
			r, err := chargeRequest(t.TempDir(), fmt.Sprintf(`version: 1
job: charge.create
environment: {broker: AWS_ENDPOINT_URL_SQS, outside: PAYMENTS_URL}
versions: {old: {run: "'%s' cut '%s'"}}
message: {body: '{"order_id": "{{key}}"}'}
outside: {act: POST /charges, operation: body.order_id, reference: body.reference, look_up: "GET /charges/{reference}"}
timeouts: {recovery: %s}
`, self, mode, want.recovery), judge.EveryStep)
			if err != nil {
				t.Fatal(err)
			}
			r.Rung = judge.Cut
			out, err := planAndRun(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			got := out.Results[0]
			replaced := slices.ContainsFunc(got.Facts, func(f string) bool { return strings.Contains(f, "did not come back to its queue") })
			if got.Verdict.Verdict == judge.Unknown || got.Kind != want.kind || replaced != want.replaced {
				t.Errorf("%s %s: %s; replaced: %t, want %+v\n%s", got.Verdict, got.Kind, got.Why, replaced, want, strings.Join(got.Facts, "\n"))
			}
		})
	}
}
