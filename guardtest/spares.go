package guardtest

import (
	"context"
	"database/sql/driver"
	"sync"
)

// spares are whole connections that a scenario has left for the next one: a server
// takes longer to make one than a scenario takes.
type spares struct {
	mu   sync.Mutex
	list []driver.Conn
}

func (s *spares) take(ctx context.Context) driver.Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := len(s.list); n > 0; n = len(s.list) {
		c := s.list[n-1]
		s.list = s.list[:n-1]
		if r, ok := c.(driver.SessionResetter); !ok || r.ResetSession(ctx) == nil {
			return c
		}
		_ = c.Close() // its own driver has given it up
	}
	return nil
}

func (s *spares) keep(c driver.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, c)
}

func (s *spares) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.list {
		_ = c.Close()
	}
	s.list = nil
}
