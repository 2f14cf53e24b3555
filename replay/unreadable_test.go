package replay

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// http2Worker charges by HTTP/2, or by what the proxy of the outside service speaks.
func http2Worker(granted bool) {
	transport := &http.Transport{Protocols: &http.Protocols{}}
	transport.Protocols.SetUnencryptedHTTP2(granted)
	transport.Protocols.SetHTTP1(!granted)
	client := &http.Client{Transport: transport}
	for {
		messages, _ := try("ReceiveMessage", map[string]any{"WaitTimeSeconds": 20})
		for _, m := range messages {
			m := m.(map[string]any)
			resp, err := client.Post(os.Getenv("PAYMENTS_URL")+"/charges", "application/json", strings.NewReader(m["Body"].(string)))
			if err == nil {
				resp.Body.Close()
			}
			try("DeleteMessage", map[string]any{"ReceiptHandle": m["ReceiptHandle"]})
		}
	}
}

// What a proxy could not read is the reason why nothing came of it, and no loss is found.
func TestUnreadable(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, granted := range []bool{true, false} {
		r, err := chargeRequest(t.TempDir(), fmt.Sprintf(`version: 1
job: charge.create
environment: {broker: AWS_ENDPOINT_URL_SQS, outside: PAYMENTS_URL}
versions: {old: {run: "'%s' http2 %t"}}
message: {body: '{"order_id": "{{key}}"}'}
outside: {act: POST /charges, operation: body.order_id}
`, self, granted), "two_operations")
		if err != nil {
			t.Fatal(err)
		}
		out, err := planAndRun(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		got := out.Results[0].Verdict
		if unknown := got.Verdict == judge.Unknown && strings.Contains(got.Why, "speaks HTTP/2 without having asked"); unknown != granted || !granted && got.Verdict != judge.OK {
			t.Errorf("HTTP/2 %t: %+v", granted, got)
		}
	}
}
