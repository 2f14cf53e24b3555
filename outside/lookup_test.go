package outside_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/outside"
)

// Every fault of a look-up, over the same call; first the control.
func TestFaultsOfALookUp(t *testing.T) {
	for _, c := range []struct {
		fault  outside.Fault
		status int
		reply  string
	}{
		{outside.Fault{}, 200, `{"id":"eff_1","order_id":17,"reference":"r17"}`},
		{outside.Fault{Kind: outside.LookUpFail}, 500, `{"error":"500"}`},
		{outside.Fault{Kind: outside.LookUpFail, Status: 503}, 503, "<html>"},
		{outside.Fault{Kind: outside.LookUpEmpty}, 200, "[]"},
		{outside.Fault{Kind: outside.LookUpMalformed}, 200, `{"id":"eff_1","order_id`},
		{outside.Fault{Kind: outside.LookUpOther, Field: "order_id"}, 200, `"order_id":171`},
		{outside.Fault{Kind: outside.LookUpTwo}, 200, `"eff_other"`},
		{outside.Fault{Kind: outside.LookUpSilence, After: 1}, 200, "eff_1"},
		{outside.Fault{Kind: outside.Lag, After: time.Hour}, 404, "not found"},
	} {
		t.Run(string(c.fault.Kind), func(t *testing.T) {
			o := start(t)
			order(t.Context(), o, 17)
			order(t.Context(), o, 18)
			n := 0
			if c.fault.Kind != "" {
				c.fault.Operation = "17"
				a := arm(t, o.Book, c.fault)
				n = 1
				defer func() { fired(t, a, n) }()
			}
			if status, reply := ask(o, "r17"); status != c.status || !strings.Contains(reply, c.reply) {
				t.Errorf("%d %s", status, reply)
			}
			if status, reply := ask(o, "r18"); status != 200 || !strings.Contains(reply, `"order_id":18`) {
				t.Errorf("the control: another order's look-up got %d %s", status, reply)
			}
		})
	}
}

// A reference that no call was made with is told by itself, not by an operation.
func TestFaultOfALookUpBeforeItsCall(t *testing.T) {
	o := start(t)
	a := arm(t, o.Book, outside.Fault{Kind: outside.LookUpFail, Reference: "r17"})
	if status, _ := ask(o, "r17"); status != 500 {
		t.Errorf("got %d", status)
	}
	if status, _ := ask(o, "r18"); status != 404 {
		t.Errorf("the control got %d", status)
	}
	fired(t, a, 1)
}

// The clock moves a call into sight, and out of it. Fired counts the look-ups that
// it was hidden from, and no other.
func TestLagAndForget(t *testing.T) {
	o := start(t)
	lag := arm(t, o.Book, outside.Fault{Kind: outside.Lag, After: 10 * time.Minute})
	forget := arm(t, o.Book, outside.Fault{Kind: outside.Forget, After: 20 * time.Minute})
	if status, _ := ask(o, "r17"); status != 404 {
		t.Errorf("before the call: %d", status)
	}
	fired(t, lag, 0)
	order(t.Context(), o, 17)
	for _, want := range []int{404, 404, 200, 200, 404} {
		if status, _ := ask(o, "r17"); status != want {
			t.Errorf("%v: got %d, want %d", o.Now(), status, want)
		}
		o.Advance(5 * time.Minute)
	}
	fired(t, lag, 2)
	fired(t, forget, 1)
	lag.Disarm()
	order(t.Context(), o, 17)
	if status, reply := ask(o, "r17"); status != 200 || !strings.Contains(reply, "eff_2") {
		t.Errorf("a new call: %d %s", status, reply)
	}
}

// A service that forgets lets a repeated call have its effect again.
func TestForgetOfAServiceThatRemembers(t *testing.T) {
	o, err := outside.Start(outside.Service{
		Act: "POST /charges", Reference: "header.Idempotency-Key", Operation: "body.order_id", Remembers: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	forget := arm(t, o.Book, outside.Fault{Kind: outside.Forget, After: time.Hour})
	order(t.Context(), o, 17)
	order(t.Context(), o, 17)
	if o.Count("17") != 1 {
		t.Errorf("the control: %d effects", o.Count("17"))
	}
	fired(t, forget, 0)
	o.Advance(time.Hour)
	order(t.Context(), o, 17)
	if o.Count("17") != 2 {
		t.Errorf("%d effects", o.Count("17"))
	}
	fired(t, forget, 1)
}

// No answer: the client gives up, and later ones are answered after the release.
func TestSilence(t *testing.T) {
	o := start(t)
	order(t.Context(), o, 17)
	a := arm(t, o.Book, outside.Fault{Kind: outside.LookUpSilence})
	ctx, goes := context.WithCancel(t.Context())
	heard := make(chan string)
	go func() { _, reply := send(ctx, "GET", o.URL()+"/charges/r17", "", ""); heard <- reply }()
	waitFired(t, a, 1)
	goes()
	if reply := <-heard; !strings.Contains(reply, "canceled") {
		t.Errorf("heard %s", reply)
	}
	go func() { _, reply := ask(o, "r17"); heard <- reply }()
	waitFired(t, a, 2)
	a.Release()
	if reply := <-heard; !strings.Contains(reply, "eff_1") {
		t.Errorf("heard %s", reply)
	}
	if l := o.LookUps(); len(l) != 2 || l[0].Fault != outside.LookUpSilence {
		t.Errorf("look-ups %+v", l)
	}
}
