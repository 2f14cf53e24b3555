package pgwire_test

import (
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/twiceproof/twiceproof/wire"
)

// Many connections of one worker, killed at its 50th INSERT: after Quiet the table
// has every row whose reply was passed, none that was not forwarded, and does not
// change any more.
func TestThreads(t *testing.T) {
	for _, side := range []wire.Side{wire.Before, wire.After} {
		s := start(t)
		const sql = "INSERT INTO t VALUES ($1)"
		a := s.gate.Arm(wire.Fault{Match: text(sql), Nth: 50, Side: side, Do: wire.Kill})
		var conns []*pgx.Conn
		for range 8 {
			conns = append(conns, connect(t, s.proxied))
		}
		var threads sync.WaitGroup
		for thread, conn := range conns {
			threads.Go(func() {
				for id := thread; ; id += 8 {
					if _, err := conn.Exec(t.Context(), sql, pgx.QueryExecModeExec, id); err != nil {
						return
					}
				}
			})
		}
		<-a.Fired()
		s.quiet(t)
		rows := s.count(t)
		threads.Wait()
		passed, forwarded := s.Count(wire.Passed), s.Count(wire.Forwarded)
		if rows < passed || rows > forwarded || rows != s.count(t) || alive(t, s) {
			t.Errorf("%s: %d passed, %d rows, then %d, %d forwarded", side, passed, rows, s.count(t), forwarded)
		}
		if fired := a.Step(); fired.Nth != 50 {
			t.Errorf("killed at %s", fired)
		}
	}
}
