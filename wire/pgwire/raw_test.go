package pgwire_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
)

// client speaks the protocol message by message.
type client struct {
	t    testing.TB
	conn net.Conn
	*pgproto3.Frontend
}

func raw(t testing.TB, dsn string) client {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	h, err := conn.PgConn().Hijack()
	if err != nil {
		t.Fatal(err)
	}
	stop := context.AfterFunc(t.Context(), func() { h.Conn.Close() })
	t.Cleanup(func() { stop(); h.Conn.Close() })
	return client{t, h.Conn, h.Frontend}
}

func (c client) send(all ...pgproto3.FrontendMessage) {
	c.t.Helper()
	for _, m := range all {
		c.Send(m)
	}
	if err := c.Flush(); err != nil {
		c.t.Fatal(err)
	}
}

// expect reads as many messages as it names.
func (c client) expect(want string) {
	c.t.Helper()
	var got []string
	for range strings.Fields(want) {
		m, err := c.Receive()
		if err != nil {
			c.t.Fatalf("after %v: %v", got, err)
		}
		got = append(got, messageName(m))
	}
	if s := strings.Join(got, " "); s != want {
		c.t.Errorf("got %s, want %s", s, want)
	}
}

func messageName(m any) string {
	return strings.TrimPrefix(fmt.Sprintf("%T", m), "*pgproto3.")
}

// until sends a step and reads its whole reply.
func (c client) until(all ...pgproto3.FrontendMessage) {
	c.t.Helper()
	c.send(all...)
	for {
		m, err := c.Receive()
		if err != nil {
			c.t.Fatal(err)
		}
		if _, ready := m.(*pgproto3.ReadyForQuery); ready {
			return
		}
	}
}

func (c client) rollback() { c.until(&pgproto3.Query{String: "ROLLBACK"}) }
