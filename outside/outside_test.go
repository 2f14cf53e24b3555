package outside_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/outside"
)

// TestMain looks for goroutines left behind. It gives them time to end: those of
// net/http do so on their own.
func TestMain(m *testing.M) {
	code := m.Run()
	left := ""
	for range 200 {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		_, left, _ = strings.Cut(string(stacks), "\n\n") // the first is this one
		if !strings.Contains(left, "twiceproof") {
			left = ""
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if left != "" && code == 0 {
		fmt.Println("goroutines left:\n" + left)
		code = 1
	}
	os.Exit(code)
}

func start(t *testing.T) *outside.Outside {
	o, err := outside.Start(outside.Service{
		Act: "POST /charges", Reference: "header.Idempotency-Key", Operation: "body.order_id",
		LookUp: "GET /charges/{reference}",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	return o
}

func charge(o *outside.Outside, reference, body string) (status int, reply string) {
	req, err := http.NewRequest("POST", o.URL()+"/charges?token=secret", strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	req.Header.Set("Idempotency-Key", reference)
	return read(http.DefaultClient.Do(req))
}

func read(resp *http.Response, err error) (int, string) {
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(body)
}

func TestOverHTTP(t *testing.T) {
	o := start(t)
	read(http.Get(o.URL() + "/charges/r1"))
	if status, reply := charge(o, "r1", `{"order_id":17}`); status != 201 || reply != `{"id":"eff_1","order_id":17,"reference":"r1"}` {
		t.Errorf("%d %s", status, reply)
	}
	if status, reply := read(http.Get(o.URL() + "/charges/r1")); status != 200 || !strings.Contains(reply, "eff_1") {
		t.Errorf("%d %s", status, reply)
	}
	read(http.Get(o.URL() + "/refunds?token=secret"))
	c := o.Calls()
	if len(c) != 1 || c[0].Seq != 1 || c[0].Path != "/charges" || string(c[0].Body) != `{"order_id":17}` || c[0].At.IsZero() {
		t.Errorf("calls %+v", c)
	}
	if o.Count("17") != 1 || o.Count("18") != 0 {
		t.Errorf("counts %d, %d", o.Count("17"), o.Count("18"))
	}
	l := o.LookUps()
	if len(l) != 2 || l[0].Effect != "" || l[1].Effect != "eff_1" || l[1].Reference != "r1" {
		t.Errorf("look-ups %+v", l)
	}
	if u := o.Unexpected(); len(u) != 1 || u[0].Method != "GET" || u[0].Path != "/refunds" {
		t.Errorf("unexpected %+v", u)
	}
}

// Every call gets a place of its own in the list, and its reply comes after it.
func TestCallsAtOnce(t *testing.T) {
	o := start(t)
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			_, reply := charge(o, fmt.Sprint(i), fmt.Sprintf(`{"order_id":%d}`, i))
			if o.Count(fmt.Sprint(i)) != 1 {
				t.Errorf("reply before its call: %s", reply)
			}
		})
	}
	if err := o.Wait(t.Context(), func(c []outside.Call) bool { return len(c) == 50 }); err != nil {
		t.Error(err)
	}
	all.Wait()
	for i, c := range o.Calls() {
		if c.Seq != i+1 || c.Effect != fmt.Sprintf("eff_%d", i+1) {
			t.Errorf("call %d is %+v", i, c)
		}
	}
}

func TestWaitEnds(t *testing.T) {
	o := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := o.Wait(ctx, func(c []outside.Call) bool { return len(c) == 1 })
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "it has 0") {
		t.Error(err)
	}
}

// A call whose sender has gone is an effect; one that is cut short is not.
func TestSenderThatGoes(t *testing.T) {
	o := start(t)
	const call = "POST /charges HTTP/1.1\r\nHost: x\r\nContent-Length: 15\r\n\r\n"
	for _, body := range []string{`{"order_id"`, `{"order_id":17}`} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(o.URL(), "http://"))
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, call+body)
		conn.(*net.TCPConn).CloseWrite()
		io.Copy(io.Discard, conn) // until the service is done with it
		conn.Close()
	}
	if c := o.Calls(); len(c) != 1 || c[0].Operation != "17" {
		t.Errorf("calls %+v", c)
	}
}

func TestStartRefusesAService(t *testing.T) {
	if _, err := outside.Start(outside.Service{Act: "charges"}); err == nil || !strings.HasPrefix(err.Error(), "outside service: act:") {
		t.Error(err)
	}
}
