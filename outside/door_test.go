package outside_test

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/twiceproof/twiceproof/outside"
)

// stand is what both services can do.
type stand interface {
	Down() error
	Up() error
	Close()
}

// A connect is refused while the service is down, also one that had a connection
// before; the same port answers again afterwards.
func TestDownAndUp(t *testing.T) {
	web, post := start(t), startMail(t, orders)
	for addr, s := range map[string]stand{strings.TrimPrefix(web.URL(), "http://"): web, post.Addr(): post} {
		before := dial(t, addr)
		for range 3 {
			if err := s.Down(); err != nil {
				t.Fatal(err)
			}
			if _, err := net.Dial("tcp", addr); !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("while down: %v", err)
			}
			if ln, err := net.Listen("tcp", addr); err == nil {
				t.Error("another program was given the port")
				ln.Close()
			}
			if err := s.Down(); err == nil {
				t.Error("down twice")
			}
			if err := s.Up(); err != nil {
				t.Fatal(err)
			}
			dial(t, addr)
		}
		if _, err := before.Read(make([]byte, 512)); err == nil {
			_, err = before.Read(make([]byte, 512)) // the first was the greeting
			if err == nil {
				t.Error("a connection outlived the service")
			}
		}
		if err := s.Up(); err == nil {
			t.Error("up twice")
		}
	}
	if status, _ := order(t.Context(), web, 17); status != 201 {
		t.Errorf("up again: %d", status)
	}
}

func dial(t *testing.T, addr string) net.Conn {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// A request that had been read is acted on; its client hears nothing.
func TestDownWithAnActHeld(t *testing.T) {
	o := start(t)
	a := arm(t, o.Book, outside.Fault{Kind: outside.Hold})
	heard := make(chan int)
	go func() { status, _ := order(t.Context(), o, 17); heard <- status }()
	waitFired(t, a, 1)
	if err := o.Down(); err != nil {
		t.Fatal(err)
	}
	if status := <-heard; status != 0 {
		t.Errorf("heard %d", status)
	}
	a.Release()
	if err := o.Wait(t.Context(), func(c []outside.Call) bool { return len(c) == 1 }); err != nil {
		t.Error(err)
	}
	o.Close() // while down
	if o.Up() == nil || o.Down() == nil {
		t.Error("a service that has ended comes back")
	}
}

// A client that keeps its connection must connect again, and is refused.
func TestDownEndsKeptConnections(t *testing.T) {
	o := start(t)
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	if status, reply := read(client.Get(o.URL() + "/charges/r1")); status != 404 {
		t.Fatalf("%d %s", status, reply)
	}
	if err := o.Down(); err != nil {
		t.Fatal(err)
	}
	if _, reply := read(client.Get(o.URL() + "/charges/r1")); !strings.Contains(reply, "connection refused") {
		t.Errorf("heard %s", reply)
	}
	if len(o.LookUps()) != 1 {
		t.Errorf("look-ups %+v", o.LookUps())
	}
}
