package twiceproof

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
)

// cutter stands before a server and cuts one connection at one statement: before it is
// passed on, or after the server has begun to answer it.
type cutter struct {
	net.Listener
	server string

	mu    sync.Mutex
	mark  []byte
	after bool
	fired bool
}

func newCutter(t *testing.T, server string) *cutter {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{Listener: listener, server: server}
	var served sync.WaitGroup
	served.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			served.Go(func() { c.serve(client) })
		}
	})
	t.Cleanup(func() { _ = listener.Close(); served.Wait() })
	return c
}

func (c *cutter) arm(mark string, after bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mark, c.after, c.fired = []byte(mark), after, false
}

func (c *cutter) strikes(sent []byte) (cut, after bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fired || c.mark == nil || !bytes.Contains(sent, c.mark) {
		return false, false
	}
	c.fired = true
	return true, c.after
}

func (c *cutter) serve(client net.Conn) {
	server, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", c.server)
	if err != nil {
		_ = client.Close()
		return
	}
	answered, silent := make(chan struct{}, 1), make(chan struct{})
	go func() { // to the client
		defer func() { _ = client.Close() }()
		b := make([]byte, 64<<10)
		for {
			n, err := server.Read(b)
			if err != nil {
				return
			}
			select {
			case <-silent:
				answered <- struct{}{}
				return
			default:
			}
			if _, err := client.Write(b[:n]); err != nil {
				return
			}
		}
	}()
	defer func() { _ = server.Close(); _ = client.Close() }()
	b := make([]byte, 64<<10)
	for {
		n, err := client.Read(b)
		if err != nil {
			return
		}
		cut, after := c.strikes(b[:n])
		if cut && !after {
			return
		}
		if cut {
			close(silent)
		}
		if _, err := server.Write(b[:n]); err != nil || cut {
			if err == nil {
				<-answered
			}
			return
		}
	}
}

// behind opens the rig's database by way of a cutter. Each statement is sent whole.
func behind(t *testing.T, made *rig) (*rig, *cutter) {
	t.Helper()
	_, port, _ := strings.Cut(made.dsn, "127.0.0.1:")
	address := "127.0.0.1:" + port[:strings.IndexAny(port, "/)")]
	c := newCutter(t, address)
	r := *made
	r.dsn = strings.Replace(made.dsn, address, c.Addr().String(), 1)
	if made.d.dialect == Postgres {
		r.dsn += "&default_query_exec_mode=exec"
	}
	return &r, c
}

// The connection ends on the way to the server, or on the way back.
func TestConnectionCutOnTheWay(t *testing.T) {
	complete := map[Dialect]string{Postgres: "'held') OR completion", MySQL: "'held') OR completion"}
	for _, d := range []database{databaseOf(Postgres), databaseOf(MySQL)} {
		for at, c := range map[string]struct {
			mark string
			row  bool
		}{
			"claim":           {"first_claimed_at,", false},
			"completion":      {complete[d.dialect], false},
			"own row's claim": {"first_claimed_at,", true},
			"own row's seal":  {map[Dialect]string{Postgres: "pg_current_xact_id_if_assigned", MySQL: "RELEASE SAVEPOINT"}[d.dialect], true},
			"COMMIT":          {map[Dialect]string{Postgres: "commit", MySQL: "\x03COMMIT"}[d.dialect], true},
		} {
			for _, after := range []bool{false, true} {
				name := d.name + ", " + at + map[bool]string{false: ", before", true: ", after"}[after]
				t.Run(name, func(t *testing.T) { cutOnTheWay(t, d, c.mark, c.row, after) })
			}
		}
	}
}

func cutOnTheWay(t *testing.T, d database, mark string, row, after bool) {
	t.Helper()
	r := newRig(t, d)
	by, cut := behind(t, r)
	db := by.open()
	if err := db.PingContext(context.Background()); err != nil {
		t.Fatal(err)
	}
	cut.arm(mark, after)
	if !row {
		r.wantOutcome(r.runWith(r.guardOn(db, holdJob()), "k", r.till.charge), Completed, true)
		r.wantEffects("k", 1)
		r.wantRecord("k", "state=completed completion=acted acts=1 late_finish_at=null")
	} else {
		g := r.guardOn(db, ownRowJob())
		res, err := g.RunTx(context.Background(), delivery("k"), r.book)
		if err == nil || res.Acknowledge() {
			t.Errorf("%+v, %v", res, err)
		}
		committed := after && strings.HasSuffix(strings.ToUpper(mark), "COMMIT")
		if errors.Is(err, ErrNotCommitted) && committed {
			t.Errorf("it was committed: %v", err)
		}
		r.awaitNobody("k")
		n := 0
		if committed {
			n = 1
		}
		r.wantBooked("k", n, n)
		res = r.runTx(g, "k")
		r.wantOutcome(res, Completed, true)
		if res.Repeat != committed {
			t.Errorf("%+v, committed before: %v", res, committed)
		}
		r.wantBooked("k", 1, 1)
	}
	if !cut.fired {
		t.Error("the connection was not cut")
	}
}

// awaitNobody waits until no transaction has the operation.
func (r *rig) awaitNobody(key string) {
	r.t.Helper()
	if r.d.dialect == MySQL {
		r.awaitEnd(key)
		return
	}
	r.awaitFree(key)
}
