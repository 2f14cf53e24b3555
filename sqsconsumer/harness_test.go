package sqsconsumer

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver "pgx"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/testdb"
	"github.com/twiceproof/twiceproof/job"
	lab "github.com/twiceproof/twiceproof/lab/sqs"
)

const (
	queueName = "charges"
	lease     = time.Minute
	settle    = 10 * time.Second
	// beyondLease is the longest put back of a live claim, jitter and rounding
	// counted in.
	beyondLease = lease + settle + (lease+settle)/10 + 2*time.Second
	// patienceOfTests only ends a test that hangs.
	patienceOfTests = 3 * time.Minute
)

// rig is a queue behind a wire that can be made to fail, a database with the
// record's table, and the outside service.
type rig struct {
	*lab.Endpoint
	t    *testing.T
	kind twiceproof.Dialect
	ctx  context.Context
	url  string
	dsn  string
	db   *sql.DB
	wire *wire
	till *till
	log  *logBook
}

// onEach runs a test with the records in each database.
func onEach(t *testing.T, deadAfter int, test func(t *testing.T, r *rig)) {
	t.Helper()
	for _, kind := range []twiceproof.Dialect{twiceproof.Postgres, twiceproof.SQLite} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			test(t, newRigOn(t, deadAfter, kind))
		})
	}
}

// newRig makes the queue; deadAfter is its maxReceiveCount, 0 none.
func newRig(t *testing.T, deadAfter int) *rig {
	t.Helper()
	return newRigOn(t, deadAfter, twiceproof.SQLite)
}

func newRigOn(t *testing.T, deadAfter int, kind twiceproof.Dialect) *rig {
	t.Helper()
	e, err := lab.Start()
	if err != nil {
		t.Fatal(err)
	}
	base := &http.Transport{}
	t.Cleanup(base.CloseIdleConnections)
	return newRigWith(t, deadAfter, kind, e, base)
}

// inBubble is for tests in which a timeout has to run out, or must not. Time moves
// only while everything waits, so neither depends on the machine's load. The
// database keeps the machine's clock: age takes it along.
func inBubble(t *testing.T, deadAfter int, test func(t *testing.T, r *rig)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := lab.New()
		test(t, newRigWith(t, deadAfter, twiceproof.SQLite, e, handed{e}))
	})
}

func newRigWith(t *testing.T, deadAfter int, kind twiceproof.Dialect, e *lab.Endpoint, base http.RoundTripper) *rig {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patienceOfTests)
	t.Cleanup(cancel)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	r := &rig{Endpoint: e, t: t, kind: kind, ctx: ctx, till: &till{charges: map[string]int{}}, log: &logBook{}}
	attributes := map[string]string{}
	if deadAfter > 0 {
		r.createQueue("dead", nil)
		attributes["RedrivePolicy"] = fmt.Sprintf(`{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:dead","maxReceiveCount":%d}`, deadAfter)
	}
	r.url = r.createQueue(queueName, attributes)
	r.wire = &wire{base: base, hooks: map[string]hook{}}
	if kind == twiceproof.Postgres {
		r.dsn = testdb.Postgres(t, r.statements().Schema, effects)
	} else {
		r.dsn = testdb.SQLite(t, r.statements().Schema, effects)
	}
	r.db = r.open(r.dsn)
	return r
}

func (r *rig) createQueue(name string, attributes map[string]string) string {
	r.t.Helper()
	url, err := r.CreateQueue(name, attributes)
	if err != nil {
		r.t.Fatal(err)
	}
	return url
}

func (r *rig) open(dsn string) *sql.DB {
	r.t.Helper()
	db, err := sql.Open(map[twiceproof.Dialect]string{twiceproof.Postgres: "pgx", twiceproof.SQLite: "sqlite"}[r.kind], dsn)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = db.Close() })
	return db
}

// effects is the table of own rows.
const effects = "CREATE TABLE effects (k text NOT NULL)"

func (r *rig) statements() dialect.Statements {
	s, err := dialect.Load(string(r.kind), "")
	if err != nil {
		panic(err)
	}
	return s
}

// newClient tries three times, as the client does by itself, without its pauses.
func newClient(endpoint string, transport http.RoundTripper) *sqs.Client {
	secret := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"}, nil
	})
	return sqs.New(sqs.Options{
		BaseEndpoint: &endpoint, Region: "us-east-1", Credentials: secret, HTTPClient: &http.Client{Transport: transport},
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
			o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
		}),
	})
}

func holdJob() job.Job {
	return job.Job{
		Type: "charge_order", Queue: job.SQS, Message: queueName,
		Operation: job.Operation{
			Key:         []job.Path{job.MustParsePath("body.order")},
			Repeat:      "the order is charged twice",
			Fingerprint: []job.Path{job.MustParsePath("body.amount")},
		},
		Effect:     job.Effect{Kind: job.Outside, What: "a charge"},
		LongestRun: 500 * time.Millisecond, Lease: lease,
		Stale: job.Stale{Policy: job.Hold}, StoreMessage: true,
	}
}

func leaseOf(d time.Duration) job.Job {
	j := holdJob()
	j.Lease = d
	return j
}

func lookupJob() job.Job {
	j := holdJob()
	j.Stale = job.Stale{Policy: job.Lookup, Settle: settle}
	return j
}

func (r *rig) guard(db *sql.DB, j job.Job) *twiceproof.Guard {
	r.t.Helper()
	g, err := twiceproof.New(db, r.kind, j, twiceproof.Options{LookUp: r.till.lookUp, Log: r.log.logger()})
	if err != nil {
		r.t.Fatal(err)
	}
	return g
}

// consumer is one that charges, under the job.
func (r *rig) consumer(j job.Job) Consumer {
	r.t.Helper()
	return Consumer{
		Client: newClient(r.URL(), r.wire), QueueURL: r.url, Guard: r.guard(r.db, j), Act: r.till.charge, Log: r.log.logger(),
	}
}

// start runs the consumer until stop, which waits for it.
func (r *rig) start(c Consumer) (stop func()) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			r.t.Error(err)
		}
	})
	r.t.Cleanup(stop)
	return stop
}

func (r *rig) send(key string) (id string) { r.t.Helper(); return r.sendBody(body(key, "12")) }

func body(key, amount string) string {
	return fmt.Sprintf(`{"order": %q, "amount": %s}`, key, amount)
}

func (r *rig) sendBody(body string) (id string) {
	r.t.Helper()
	id, err := r.Send(queueName, lab.Message{Body: body})
	if err != nil {
		r.t.Fatal(err)
	}
	return id
}

// until waits for the queue to be so.
func (r *rig) until(what string, ok func(lab.Snapshot) bool) {
	r.t.Helper()
	if err := r.Wait(r.ctx, queueName, ok); err != nil {
		r.t.Fatalf("waiting for %s: %v\n%s\n%s", what, err, r.history(), r.log)
	}
}

// untilKinds waits until an event of a kind has happened so often.
func (r *rig) untilKinds(kind lab.Kind, n int) {
	r.t.Helper()
	r.until(fmt.Sprintf("%d %s", n, kind), func(s lab.Snapshot) bool { return count(s.Events, kind, "") >= n })
}

// untilIdle waits until so many workers poll: nothing is in work.
func (r *rig) untilIdle(workers int) {
	r.t.Helper()
	r.until("idle workers", func(s lab.Snapshot) bool { return s.Polling == workers && s.Visible == 0 })
}

// take waits for what a test's own hook or act says.
func take[T any](r *rig, from <-chan T) (value T) {
	r.t.Helper()
	select {
	case value = <-from:
	case <-r.ctx.Done():
		r.t.Fatalf("waited in vain\n%s\n%s", r.history(), r.log)
	}
	return value
}

func count(events []lab.Event, kind lab.Kind, messageID string) (n int) {
	for _, e := range events {
		if e.Kind == kind && (messageID == "" || e.MessageID == messageID) {
			n++
		}
	}
	return n
}

func (r *rig) want(kind lab.Kind, n int) {
	r.t.Helper()
	if got := count(r.Log(queueName), kind, ""); got != n {
		r.t.Errorf("%d %s, want %d\n%s", got, kind, n, r.history())
	}
}

// wantKinds is one message's whole history.
func (r *rig) wantKinds(id, want string) {
	r.t.Helper()
	var got []string
	for _, e := range r.Log(queueName) {
		if e.MessageID == id {
			got = append(got, string(e.Kind))
		}
	}
	if got := strings.Join(got, " "); got != want {
		r.t.Errorf("history %s\n   want %s", got, want)
	}
}

func (r *rig) history() string {
	var b strings.Builder
	for _, e := range r.Log(queueName) {
		fmt.Fprintf(&b, "%s %s %.4s receive %d visibility %s\n", e.At.Format("05.000"), e.Kind, e.MessageID, e.ReceiveCount, e.Visibility)
	}
	return b.String()
}

func (r *rig) events(kind lab.Kind) (all []lab.Event) {
	for _, e := range r.Log(queueName) {
		if e.Kind == kind {
			all = append(all, e)
		}
	}
	return all
}

// vanish leaves the claim of a worker that died.
func (r *rig) vanish(key string, j job.Job) {
	r.t.Helper()
	r.exec(r.statements().Claim, j.Type, key, strings.Repeat("a", 32), j.StoredLease().Milliseconds(), "gone", string(j.Stale.Policy),
		nil, nil, job.Reference(j.Type, key), []byte("{}"))
}

// age makes the claims that much older.
func (r *rig) age(by time.Duration) {
	r.t.Helper()
	older := fmt.Sprintf("claimed_at - %d", by.Milliseconds())
	if r.kind == twiceproof.Postgres {
		older += " * interval '1 millisecond'"
	}
	r.exec("UPDATE idempotency_records SET claimed_at = " + older)
}

func (r *rig) exec(query string, args ...any) {
	r.t.Helper()
	if _, err := r.db.ExecContext(r.ctx, query, args...); err != nil {
		r.t.Fatal(err)
	}
}

// record is one row as "state given_up", or "none".
func (r *rig) record(key string) string {
	r.t.Helper()
	var state string
	var givenUp bool
	err := r.db.QueryRowContext(r.ctx, "SELECT state, given_up FROM idempotency_records WHERE operation_key = $1", key).Scan(&state, &givenUp)
	switch {
	case err == sql.ErrNoRows:
		return "none"
	case err != nil:
		r.t.Fatal(err)
	case givenUp:
		return state + " given_up"
	}
	return state
}

func (r *rig) wantRecord(key, want string) {
	r.t.Helper()
	if got := r.record(key); got != want {
		r.t.Errorf("record %s is %s, want %s", key, got, want)
	}
}

func (r *rig) wantCharges(key string, want int) {
	r.t.Helper()
	if got := r.till.count(key); got != want {
		r.t.Errorf("%s was charged %d times, want %d", key, got, want)
	}
}
