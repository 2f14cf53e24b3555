package sqsconsumer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/job"
	lab "github.com/twiceproof/twiceproof/lab/sqs"
)

// TestMain is also the child of the tests of a real process, and looks for
// goroutines that outlive their consumer.
func TestMain(m *testing.M) {
	if os.Getenv("CONSUMER_QUEUE") != "" {
		os.Exit(child())
	}
	code := m.Run()
	for end := time.Now().Add(time.Minute); code == 0 && left() != ""; runtime.Gosched() {
		if time.Now().After(end) {
			fmt.Fprintln(os.Stderr, "goroutines left:\n"+left())
			code = 1
		}
	}
	os.Exit(code)
}

// left is a goroutine that belongs to a consumer.
func left() string {
	all := make([]byte, 1<<20)
	all = all[:runtime.Stack(all, true)]
	for g := range strings.SplitSeq(string(all), "\n\n") {
		if strings.Contains(g, "/sqsconsumer.Consumer") || strings.Contains(g, "/sqsconsumer.(*heartbeat)") {
			return g
		}
	}
	return ""
}

// child is a consumer as a process of its own. Its act is one call to the outside
// service.
func child() (code int) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	r := &rig{t: &testing.T{}, till: &till{charges: map[string]int{}, ask: ask}, log: &logBook{}, url: os.Getenv("CONSUMER_QUEUE")}
	r.kind = twiceproof.Dialect(os.Getenv("CONSUMER_KIND"))
	r.db = r.open(os.Getenv("CONSUMER_DATABASE"))
	workers, _ := strconv.Atoi(os.Getenv("CONSUMER_WORKERS"))
	grace, _ := time.ParseDuration(os.Getenv("CONSUMER_GRACE"))
	batch, _ := strconv.Atoi(os.Getenv("CONSUMER_BATCH"))
	j := holdJob()
	if policy := os.Getenv("CONSUMER_POLICY"); policy != "" {
		j = policyJob(job.Policy(policy))
	}
	if lease, err := time.ParseDuration(os.Getenv("CONSUMER_LEASE")); err == nil {
		j = leaseOf(lease)
		j.Stale = job.Stale{Policy: job.Lookup, Settle: time.Second}
	}
	endpoint, _, _ := strings.Cut(r.url, "/000000000000/")
	c := Consumer{
		Client: newClient(endpoint, http.DefaultTransport), QueueURL: r.url, Guard: r.guard(r.db, j),
		Act: charge, Workers: workers, Grace: grace, Batch: batch,
	}
	err := c.Run(ctx)
	fmt.Fprintln(os.Stderr, r.log, err)
	if err != nil {
		return 1
	}
	return 0
}

// ask looks a charge up at the outside service.
func ask(ctx context.Context, op *twiceproof.Operation) (bool, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, os.Getenv("CONSUMER_OUTSIDE")+"/"+op.Key, http.NoBody)
	if err != nil {
		return false, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK, nil
}

func charge(ctx context.Context, op *twiceproof.Operation) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, os.Getenv("CONSUMER_OUTSIDE"), strings.NewReader(op.Key))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("%w; cause: %w", err, context.Cause(ctx))
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusTeapot {
		panic("boom")
	}
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return nil
}

// outside counts the charges that reached it and answers each when told to.
type outside struct {
	*httptest.Server
	charged chan string
	answer  chan int
}

func newOutside(t *testing.T) *outside {
	o := &outside{charged: make(chan string, 10), answer: make(chan int, 10)}
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, _ := io.ReadAll(r.Body)
		o.charged <- string(key)
		select {
		case status := <-o.answer:
			w.WriteHeader(status)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(o.Close)
	return o
}

// process starts the child.
func (r *rig) process(o *outside, workers int, grace time.Duration, more ...string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
	r.t.Helper()
	cmd = exec.CommandContext(r.ctx, os.Args[0])
	cmd.Env = append(os.Environ(), "CONSUMER_QUEUE="+r.url, "CONSUMER_DATABASE="+r.dsn, "CONSUMER_KIND="+string(r.kind),
		"CONSUMER_OUTSIDE="+o.URL, "CONSUMER_WORKERS="+strconv.Itoa(workers), "CONSUMER_GRACE="+grace.String())
	cmd.Env = append(cmd.Env, more...)
	stderr = new(bytes.Buffer)
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	return cmd, stderr
}

func (r *rig) terminate(cmd *exec.Cmd) {
	r.t.Helper()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		r.t.Fatal(err)
	}
}

// A deploy in the middle of an act: receiving stops at once, the act finishes.
func TestTerminatedActFinishes(t *testing.T) {
	t.Parallel()
	r, o := newRig(t, 3), newOutside(t)
	id := r.send("1")
	cmd, stderr := r.process(o, 2, time.Minute)
	take(r, o.charged)
	r.until("the other worker", func(s lab.Snapshot) bool { return s.Polling == 1 })
	r.terminate(cmd)
	r.until("the end of receiving", func(s lab.Snapshot) bool { return s.Polling == 0 })
	next := r.send("2")
	r.wantRecord("1", "claimed")
	o.answer <- http.StatusOK
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, stderr)
	}
	r.wantRecord("1", "completed")
	r.wantKinds(id, "sent received deleted")
	r.wantKinds(next, "sent")
	r.start(r.consumer(holdJob())) // the control: the next process does receive
	r.untilKinds(lab.Deleted, 2)
	r.wantCharges("2", 1)
}

// The act takes longer than the grace: unknown, and back on the queue at once.
func TestTerminatedActIsGivenUp(t *testing.T) {
	t.Parallel()
	r, o := newRig(t, 3), newOutside(t)
	id := r.send("1")
	cmd, stderr := r.process(o, 1, time.Millisecond)
	take(r, o.charged)
	r.terminate(cmd)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, stderr)
	}
	if !strings.Contains(stderr.String(), ErrShutdown.Error()) {
		t.Errorf("the act was not told why:\n%s", stderr)
	}
	r.wantRecord("1", "claimed given_up")
	r.wantKinds(id, "sent received visibility_changed visibility_over")
	r.start(r.consumer(holdJob()))
	r.untilKinds(lab.Deleted, 1)
	r.wantRecord("1", "held given_up")
	r.wantCharges("1", 0) // beside the one that went out
}

// A panic ends the process; the claim is given up on the way.
func TestPanicEndsTheProcess(t *testing.T) {
	t.Parallel()
	r, o := newRig(t, 3), newOutside(t)
	id := r.send("1")
	cmd, stderr := r.process(o, 1, time.Minute)
	take(r, o.charged)
	o.answer <- http.StatusTeapot
	if exit := new(exec.ExitError); !errors.As(cmd.Wait(), &exit) || exit.ExitCode() != 2 || !strings.Contains(stderr.String(), "panic: boom") {
		t.Errorf("the process did not end with the panic:\n%s", stderr)
	}
	r.wantRecord("1", "claimed given_up")
	r.wantKinds(id, "sent received")
	r.Advance(30 * time.Second)
	r.start(r.consumer(holdJob()))
	r.untilKinds(lab.Deleted, 1)
	r.wantRecord("1", "held given_up")
}

// A message that comes in the moment of the stop goes back at once, unacted.
func TestMessageInTheMomentOfTheStop(t *testing.T) {
	r := newRig(t, 3)
	ctx, cancel := context.WithCancel(r.ctx)
	var once sync.Once
	r.wire.on("ReceiveMessage", func(q *http.Request, next http.RoundTripper) (*http.Response, error) {
		out, err := next.RoundTrip(q)
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(out.Body)
		_ = out.Body.Close()
		out.Body = io.NopCloser(bytes.NewReader(text))
		once.Do(cancel)
		return out, err
	})
	id := r.send("1")
	if err := r.consumer(holdJob()).Run(ctx); err != nil {
		t.Error(err)
	}
	r.wantKinds(id, "sent received visibility_changed visibility_over")
	r.wantRecord("1", "none")
	r.start(r.consumer(holdJob())) // the control
	r.untilKinds(lab.Deleted, 1)
	r.wantCharges("1", 1)
}

// An act that sees by its check that it is too late has done nothing: the message
// goes back at once, for the next process to act.
func TestReleasedByTheStop(t *testing.T) {
	r := newRig(t, 3)
	c := r.consumer(holdJob())
	ctx, cancel := context.WithCancel(r.ctx)
	c.Grace = time.Millisecond
	c.Act = func(ctx context.Context, op *twiceproof.Operation) error {
		cancel()
		<-ctx.Done()
		return op.Check(ctx)
	}
	id := r.send("1")
	if err := c.Run(ctx); err != nil {
		t.Error(err)
	}
	r.wantKinds(id, "sent received visibility_changed visibility_over")
	r.start(r.consumer(holdJob()))
	r.untilKinds(lab.Deleted, 1)
	r.wantCharges("1", 1)
}

// The grace is over before the claim: nothing is claimed.
func TestStoppedBeforeTheClaim(t *testing.T) {
	r := newRig(t, 3)
	c := r.consumer(holdJob()).withDefaults()
	id := r.send("1")
	messages, err := c.receive(r.ctx, 1)
	if err != nil || len(messages) != 1 {
		t.Fatal(messages, err)
	}
	work, cancel := context.WithCancelCause(r.ctx)
	cancel(ErrShutdown)
	if err := c.handle(work, received{messages[0], time.Now(), time.Now()}); err != nil {
		t.Error(err)
	}
	r.wantRecord("1", "none")
	r.wantKinds(id, "sent received visibility_changed visibility_over")
}
