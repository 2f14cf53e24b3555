package outside_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/outside"
)

// arm arms a fault.
func arm(t *testing.T, b *outside.Book, f outside.Fault) *outside.Armed {
	t.Helper()
	a, err := b.Arm(f)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func fired(t *testing.T, a *outside.Armed, n int) {
	t.Helper()
	if got := a.Fired(); got != n {
		t.Errorf("fired %d times, want %d", got, n)
	}
}

func waitFired(t *testing.T, a *outside.Armed, n int) {
	t.Helper()
	if err := a.Wait(t.Context(), n); err != nil {
		t.Fatal(err)
	}
}

// order posts a charge on a connection of its own: net/http sends a request again
// by itself when a connection that was used before is cut.
func order(ctx context.Context, o *outside.Outside, id int) (status int, reply string) {
	return send(ctx, "POST", o.URL()+"/charges", fmt.Sprint("r", id), fmt.Sprintf(`{"order_id":%d}`, id))
}

func ask(o *outside.Outside, reference string) (status int, reply string) {
	return send(context.Background(), "GET", o.URL()+"/charges/"+reference, "", "")
}

func send(ctx context.Context, method, url, reference, body string) (status int, reply string) {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	req.Header.Set("Idempotency-Key", reference)
	req.Close = true
	return read(http.DefaultClient.Do(req))
}

// Every fault of an act: what the client hears, and what was done.
func TestFaultsOfAnAct(t *testing.T) {
	for _, c := range []struct {
		fault  outside.Fault
		status int
		reply  string
		acts   bool
	}{
		{outside.Fault{Kind: outside.ActThenDrop}, 0, "EOF", true},
		{outside.Fault{Kind: outside.ActThenFail}, 500, "500", true},
		{outside.Fault{Kind: outside.ActThenFail, Status: 502}, 502, "<html>", true},
		{outside.Fault{Kind: outside.Delay, After: 1}, 201, "eff_1", true},
		{outside.Fault{Kind: outside.Hold, After: 1}, 201, "eff_1", true},
		{outside.Fault{Kind: outside.Refuse, Status: 404}, 404, "404", false},
		{outside.Fault{Kind: outside.DropBeforeAct}, 0, "EOF", false},
	} {
		t.Run(string(c.fault.Kind), func(t *testing.T) {
			o := start(t)
			c.fault.Operation = "17"
			a := arm(t, o.Book, c.fault)
			if status, reply := order(t.Context(), o, 17); status != c.status || !strings.Contains(reply, c.reply) {
				t.Errorf("%d %s", status, reply)
			}
			fired(t, a, 1)
			calls, refused := o.Calls(), o.Refused()
			switch {
			case c.acts && (len(refused) != 0 || o.Count("17") != 1 || calls[0].Fault != c.fault.Kind):
				t.Errorf("calls %+v, refused %+v", calls, refused)
			case !c.acts && (len(calls) != 0 || len(refused) != 1 || refused[0].Fault != c.fault.Kind || refused[0].Operation != "17"):
				t.Errorf("calls %+v, refused %+v", calls, refused)
			}
			if status, _ := order(t.Context(), o, 18); status != 201 || o.Count("18") != 1 {
				t.Errorf("the control: another order got %d", status)
			}
			if a.Disarm() != 1 {
				t.Error("disarmed")
			}
			if status, _ := order(t.Context(), o, 17); status != 201 {
				t.Errorf("after disarming %d", status)
			}
			fired(t, a, 1)
		})
	}
}

// The n-th act, or every one, in total over all clients.
func TestWhichActs(t *testing.T) {
	o := start(t)
	second := arm(t, o.Book, outside.Fault{Kind: outside.Refuse, Nth: 2})
	every := arm(t, o.Book, outside.Fault{Kind: outside.ActThenFail, Operation: "17"})
	got := ""
	for _, id := range []int{17, 17, 18, 17} {
		status, _ := order(t.Context(), o, id)
		got += fmt.Sprint(status, " ")
	}
	if got != "500 422 201 500 " || o.Count("17") != 2 {
		t.Errorf("%s, %d effects", got, o.Count("17"))
	}
	fired(t, second, 1)
	fired(t, every, 2)
}

// The client goes before the answer comes: the call is there, and the service has
// done with the client. This is how a late answer ends for a client that gives up.
func TestDelayedReplyToAClientThatGoes(t *testing.T) {
	o := start(t)
	a := arm(t, o.Book, outside.Fault{Kind: outside.Delay})
	ctx, goes := context.WithCancel(t.Context())
	heard := make(chan string)
	go func() { _, reply := order(ctx, o, 17); heard <- reply }()
	waitFired(t, a, 1)
	if o.Count("17") != 1 {
		t.Error("not acted on at once")
	}
	goes()
	if reply := <-heard; !strings.Contains(reply, "canceled") {
		t.Errorf("heard %s", reply)
	}
}

// A client that has ended its side is seen to go: the service ends the connection,
// and nothing is left that could answer.
func TestDelayedReplyEndsWithItsClient(t *testing.T) {
	o := start(t)
	a := arm(t, o.Book, outside.Fault{Kind: outside.Delay})
	conn := dial(t, strings.TrimPrefix(o.URL(), "http://"))
	io.WriteString(conn, "POST /charges HTTP/1.1\r\nHost: x\r\nContent-Length: 15\r\n\r\n"+`{"order_id":17}`)
	waitFired(t, a, 1)
	conn.(*net.TCPConn).CloseWrite()
	if heard, err := io.ReadAll(conn); len(heard) != 0 || err != nil || o.Count("17") != 1 {
		t.Errorf("heard %q, %v", heard, err)
	}
}

// That it is heard after Release and not after Drop shows that it had not been
// sent before.
func TestDelayedReply(t *testing.T) {
	for want, end := range map[int]func(*outside.Armed){201: (*outside.Armed).Release, 0: (*outside.Armed).Drop} {
		o := start(t)
		a := arm(t, o.Book, outside.Fault{Kind: outside.Delay})
		heard := make(chan int)
		go func() { status, _ := order(t.Context(), o, 17); heard <- status }()
		waitFired(t, a, 1)
		end(a)
		if status := <-heard; status != want || o.Count("17") != 1 {
			t.Errorf("heard %d, want %d", status, want)
		}
	}
}

// One release lets go what waits, not what comes after it.
func TestReleaseAndDropOfSeveral(t *testing.T) {
	o := start(t)
	a := arm(t, o.Book, outside.Fault{Kind: outside.Hold})
	for round, end := range []func(){a.Release, a.Drop} {
		var all sync.WaitGroup
		for id := range 3 {
			all.Go(func() { order(t.Context(), o, 10*round+id) })
		}
		waitFired(t, a, 3*round+3)
		if n := len(o.Calls()); n != 3*round {
			t.Errorf("round %d: %d calls before its end", round, n)
		}
		end()
		all.Wait()
	}
	if len(o.Calls()) != 3 || len(o.Refused()) != 3 || o.Calls()[0].Fault != outside.Hold {
		t.Errorf("calls %+v, refused %+v", o.Calls(), o.Refused())
	}
}

// The request was sent, its client has given up, and the service does it later.
func TestHeldActOfAClientThatHasGone(t *testing.T) {
	o := start(t)
	a := arm(t, o.Book, outside.Fault{Kind: outside.Hold})
	ctx, goes := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() { order(ctx, o, 17); close(gone) }()
	waitFired(t, a, 1)
	goes()
	<-gone
	if o.Count("17") != 0 {
		t.Error("acted on before the release")
	}
	a.Release()
	if err := o.Wait(t.Context(), func(c []outside.Call) bool { return len(c) == 1 }); err != nil {
		t.Error(err)
	}
}

func TestCloseDropsWhatWaits(t *testing.T) {
	o := start(t)
	late, held := arm(t, o.Book, outside.Fault{Kind: outside.Delay, Nth: 1}), arm(t, o.Book, outside.Fault{Kind: outside.Hold, Nth: 2})
	silent := arm(t, o.Book, outside.Fault{Kind: outside.LookUpSilence})
	var all sync.WaitGroup
	all.Go(func() { order(t.Context(), o, 17) })
	waitFired(t, late, 1)
	all.Go(func() { order(t.Context(), o, 18) })
	waitFired(t, held, 1)
	all.Go(func() { ask(o, "r17") })
	waitFired(t, silent, 1)
	o.Close()
	all.Wait()
	if len(o.Calls()) != 1 || len(o.Refused()) != 1 || len(o.LookUps()) != 1 {
		t.Errorf("calls %+v, refused %+v, look-ups %+v", o.Calls(), o.Refused(), o.LookUps())
	}
}

func TestWaitForAFaultEnds(t *testing.T) {
	a := arm(t, start(t).Book, outside.Fault{Kind: outside.Delay})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.Wait(ctx, 1); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "fault delay: it has fired 0 times of 1") {
		t.Error(err)
	}
}

// With a service that remembers, a call that failed after it acted is repeated
// without a second effect, until the window is over.
func TestWindow(t *testing.T) {
	o, err := outside.Start(outside.Service{
		Act: "POST /charges", Reference: "header.Idempotency-Key", Operation: "body.order_id",
		Remembers: true, Window: time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	a := arm(t, o.Book, outside.Fault{Kind: outside.ActThenFail, Nth: 1})
	order(t.Context(), o, 17)
	fired(t, a, 1)
	for _, c := range []struct {
		passes time.Duration
		effect string
		count  int
	}{{30 * time.Minute, "eff_1", 1}, {40 * time.Minute, "eff_3", 2}, {30 * time.Minute, "eff_3", 2}, {40 * time.Minute, "eff_5", 3}} {
		o.Advance(c.passes)
		if _, reply := order(t.Context(), o, 17); !strings.Contains(reply, c.effect) || o.Count("17") != c.count {
			t.Errorf("after %v: %s, %d effects", c.passes, reply, o.Count("17"))
		}
	}
	if _, err := o.Arm(outside.Fault{Kind: outside.Lag, After: 1}); err == nil || !strings.Contains(err.Error(), "no fault") {
		t.Errorf("lag of a service that cannot be asked: %v", err)
	}
}
