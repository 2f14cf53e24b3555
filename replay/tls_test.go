package replay

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// secureWorker charges whatever it gets by an address that is written into its code. Where it
// is told a database it says so to it, in the mode of TLS that its code insists on.
func secureWorker(sslmode string) {
	if sslmode != "" {
		address, _, _ := strings.Cut(os.Getenv("DATABASE_URL"), "?")
		conn, err := pgx.Connect(context.Background(), address+"?sslmode="+sslmode)
		if err != nil {
			panic(err)
		}
		defer conn.Close(context.Background())
	}
	for {
		for _, m := range call("ReceiveMessage", map[string]any{"WaitTimeSeconds": 20}) {
			m := m.(map[string]any)
			resp, err := http.Post("https://payments.example/charges", "application/json", strings.NewReader(m["Body"].(string)))
			if err != nil {
				panic(err)
			}
			resp.Body.Close()
			call("DeleteMessage", map[string]any{"ReceiptHandle": m["ReceiptHandle"]})
		}
	}
}

// replaySecure replays the case killed_after_effect with that worker.
func replaySecure(t *testing.T, before, sslmode, file string) (judge.Result, []judge.Event, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, err := chargeRequest(t.TempDir(), fmt.Sprintf(`version: 1
job: charge.create
environment: {broker: AWS_ENDPOINT_URL_SQS, ca: DB_CA}
versions: {old: {run: "%s '%s' secure '%s'"}}
message: {body: '{"order_id": "{{key}}"}'}
%s
`, before, self, sslmode, file), "killed_after_effect")
	if err != nil {
		t.Fatal(err)
	}
	out, err := planAndRun(t.Context(), r)
	if err != nil {
		return judge.Result{}, nil, err
	}
	return out.Results[0], out.Histories["old/killed_after_effect"], nil
}

const (
	noHosts = `outside: {act: "POST /charges", operation: body.order_id}`
	hosts   = `outside: {act: "POST /charges", operation: body.order_id, hosts: [payments.example]}`
	open    = hosts + "\ndatabase: {kind: postgres}"
	secured = hosts + "\ndatabase: {kind: postgres, tls: true}"
)

// A whole case of a worker that calls its service by https, and its database by TLS: the kill
// strikes after the effect, and the effect is repeated, since nothing guards it.
func TestKilledWithinTLS(t *testing.T) {
	for name, c := range map[string]struct{ before, sslmode, file string }{
		"outside service": {"", "", hosts},
		"prefer":          {"", "prefer", open},
		"require":         {"", "require", secured},
		"verify-full":     {"", "verify-full", secured},
		"by a variable":   {`PGSSLROOTCERT=\"$DB_CA\"`, "verify-full", secured},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := replaySecure(t, c.before, c.sslmode, c.file)
			if err != nil {
				t.Fatal(err)
			}
			if got.Kind != judge.Duplicate || got.Effects != 2 || !got.FaultFired {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// Who is not given TLS, or does not trust the authority, is told what to do about it.
func TestNoTLS(t *testing.T) {
	for name, c := range map[string]struct{ before, sslmode, file, what, hint string }{
		"not offered":                        {"", "require", open, "wants TLS of its database, and the replay offers none", "tls: true under database"},
		"the database is not trusted":        {"PGSSLROOTCERT=/etc/ssl/certs/ca-certificates.crt", "verify-full", secured, "did not take the replay's certificate for its database", "environment.ca"},
		"the outside service is not trusted": {"SSL_CERT_FILE=/dev/null", "", hosts, "did not take the replay's certificate for its outside", "environment.ca"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := replaySecure(t, c.before, c.sslmode, c.file)
			var p *hinted.Error
			if !errors.As(err, &p) || !strings.Contains(p.What, c.what) || !strings.Contains(p.Hint, c.hint) {
				t.Errorf("got %v, %+v", err, p)
			}
		})
	}
}

// A host that the replay file does not name is never called.
func TestOtherHostsStayRefused(t *testing.T) {
	got, events, err := replaySecure(t, "", "", noHosts)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(e judge.Event) bool {
		return e.Event == judge.EventUnproxied && e.Detail == "CONNECT payments.example:443"
	}
	if got.Verdict.Verdict != judge.Unknown || got.Effects != 0 || !slices.ContainsFunc(events, refused) {
		t.Errorf("got %+v", got.Verdict)
	}
}
