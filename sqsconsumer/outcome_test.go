package sqsconsumer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/examples/sqs-charge/payments"
	"github.com/twiceproof/twiceproof/job"
	lab "github.com/twiceproof/twiceproof/lab/sqs"
	standin "github.com/twiceproof/twiceproof/outside"
)

// paying is a rig whose job calls an outside service over HTTP, as an application
// does. The verdict comes from the calls that the service acted on.
type paying struct {
	*rig
	service *standin.Outside
	acting  func(context.Context) (context.Context, context.CancelFunc) // around each call
}

func newPaying(t *testing.T) *paying {
	service, err := standin.Start(standin.Service{
		Act: "POST /charges", Reference: "body.reference", Operation: "body.order_id", LookUp: "GET /charges/{reference}",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.Close)
	p := &paying{rig: newRig(t, 0), service: service, acting: context.WithCancel}
	p.till.ask = p.find
	return p
}

func (p *paying) client() payments.Client { return payments.Client{URL: p.service.URL()} }

func (p *paying) pay(ctx context.Context, op *twiceproof.Operation) error {
	ctx, end := p.acting(ctx)
	defer end()
	_, err := p.client().Create(ctx, payments.Charge{OrderID: op.Key, AmountCents: 12, Currency: "EUR", Reference: op.Reference})
	if errors.Is(err, syscall.ECONNREFUSED) {
		return twiceproof.NotApplied(err)
	}
	return err
}

func (p *paying) find(ctx context.Context, op *twiceproof.Operation) (bool, error) {
	ctx, end := context.WithTimeout(ctx, 200*time.Millisecond)
	defer end()
	made, err := p.client().Find(ctx, op.Reference)
	if errors.Is(err, payments.ErrNotFound) {
		return false, nil
	}
	if err == nil && made.AmountCents != 12 {
		err = errors.New("another amount under this reference")
	}
	return err == nil, err
}

func (p *paying) arm(f standin.Fault) *standin.Armed {
	p.t.Helper()
	armed, err := p.service.Arm(f)
	if err != nil {
		p.t.Fatal(err)
	}
	return armed
}

// deliver lets the message come again, each time past the lease, until the queue has
// no message any more.
func (p *paying) deliver(j job.Job, rounds int) {
	p.t.Helper()
	c := p.consumer(j)
	c.Act = p.pay
	defer p.start(c)()
	for range rounds {
		p.untilIdle(1)
		if now := p.Counts(queueName); now.Visible+now.InFlight == 0 {
			return
		}
		p.age(beyondLease)
		p.Advance(beyondLease)
	}
	p.untilIdle(1)
}

func (p *paying) wantCalls(key string, want int) {
	p.t.Helper()
	if got := p.service.Count(key); got != want {
		p.t.Errorf("%s: %d effects, want %d\n%s", key, got, want, p.log)
	}
}

// wantState does not ask how the last claim was left.
func (p *paying) wantState(key, want string) {
	p.t.Helper()
	if got, _, _ := strings.Cut(p.record(key), " "); got != want {
		p.t.Errorf("record %s is %s, want %s", key, got, want)
	}
}

// policyJob is the job under one of the policies.
func policyJob(policy job.Policy) job.Job {
	j := holdJob()
	j.Stale = job.Stale{Policy: policy}
	if policy == job.Lookup {
		j.Stale.Settle = settle
	}
	return j
}

// The service acts, and the worker is told an error, each time: an exception is no
// proof that nothing happened. The policy bounds the effects in total, over all
// deliveries.
func TestErrorAfterTheEffect(t *testing.T) {
	faults := map[string]standin.Fault{
		"connection cut": {Kind: standin.ActThenDrop}, "reply after the time-out": {Kind: standin.Delay},
		"status 500": {Kind: standin.ActThenFail}, "status 502": {Kind: standin.ActThenFail, Status: 502},
	}
	ends := map[job.Policy]struct {
		effects int
		record  string
	}{
		job.Lookup: {1, "completed"}, job.Hold: {1, "held"}, job.AcceptDuplicate: {2, "held"}, job.AcceptMiss: {1, "completed"},
	}
	for name, fault := range faults {
		for policy, end := range ends {
			t.Run(fmt.Sprint(name, " ", policy), func(t *testing.T) {
				t.Parallel()
				p := newPaying(t)
				armed := p.arm(fault)
				if fault.Kind == standin.Delay {
					p.acting = func(ctx context.Context) (context.Context, context.CancelFunc) {
						ctx, cancel := context.WithCancel(ctx)
						acted := armed.Fired() + 1
						go func() {
							_ = armed.Wait(ctx, acted)
							cancel()
						}()
						return ctx, cancel
					}
				}
				p.send("1")
				p.deliver(policyJob(policy), 6)
				if armed.Fired() == 0 {
					t.Error("the fault did not fire")
				}
				p.wantCalls("1", end.effects)
				p.wantState("1", end.record)
				p.want(lab.Deleted, 1)
			})
		}
	}
}

// Only what surely did nothing frees the claim: nobody was there to take the call.
// Then the next delivery acts, under every policy.
func TestErrorBeforeTheEffect(t *testing.T) {
	for _, policy := range []job.Policy{job.Lookup, job.Hold, job.AcceptDuplicate, job.AcceptMiss} {
		t.Run(string(policy), func(t *testing.T) {
			t.Parallel()
			p := newPaying(t)
			if err := p.service.Down(); err != nil {
				t.Fatal(err)
			}
			p.send("1")
			p.deliver(policyJob(policy), 3)
			p.wantCalls("1", 0)
			p.wantRecord("1", "claimed given_up")
			if err := p.service.Up(); err != nil {
				t.Fatal(err)
			}
			p.Advance(beyondLease)
			p.deliver(policyJob(policy), 2)
			p.wantCalls("1", 1)
			p.wantRecord("1", "completed")
			p.want(lab.Deleted, 1)
		})
	}
}

// A look-up that is no clear answer is no "not found": nobody acts again. The
// controls are a clear yes and a clear no.
func TestLookUpWithoutAClearAnswer(t *testing.T) {
	for name, fault := range map[string]standin.Fault{
		"yes": {}, "no": {Kind: standin.Lag, After: time.Hour},
		"status 500": {Kind: standin.LookUpFail}, "status 503": {Kind: standin.LookUpFail, Status: 503},
		"silence": {Kind: standin.LookUpSilence}, "empty list": {Kind: standin.LookUpEmpty}, "two": {Kind: standin.LookUpTwo},
		"cut off": {Kind: standin.LookUpMalformed}, "another amount": {Kind: standin.LookUpOther, Field: "amount_cents"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPaying(t)
			lost := p.arm(standin.Fault{Kind: standin.ActThenDrop, Nth: 1})
			var unclear *standin.Armed
			if fault.Kind != "" {
				unclear = p.arm(fault)
			}
			p.send("1")
			p.deliver(policyJob(job.Lookup), 12)
			if lost.Fired() != 1 || unclear != nil && unclear.Fired() == 0 {
				t.Error("the fault did not fire")
			}
			effects, record := 1, "held"
			switch name {
			case "yes":
				record = "completed"
			case "no":
				effects, record = 2, "completed"
			}
			p.wantCalls("1", effects)
			p.wantState("1", record)
			p.want(lab.Deleted, 1)
		})
	}
}
