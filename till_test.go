package twiceproof

import (
	"context"
	"sync"

	"github.com/twiceproof/twiceproof/job"
)

// till is the outside service: it counts the charges of each reference.
type till struct {
	mu      sync.Mutex
	charges map[string]int
	looked  int
	down    error // what a look-up answers when the service cannot say
}

func (s *till) charge(_ context.Context, op *Operation) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.charges == nil {
		s.charges = map[string]int{}
	}
	s.charges[op.Reference]++
	return nil
}

func (s *till) lookUp(_ context.Context, op *Operation) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looked++
	return s.down == nil && s.charges[op.Reference] > 0, s.down
}

func (s *till) lookUps() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.looked
}

// count is the number of effects of an operation, by any reference.
func (s *till) count(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.charges[job.Reference("charge_order", key)]
}

func (s *till) total() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.charges {
		n += c
	}
	return n
}

func (r *rig) wantEffects(key string, want int) {
	r.t.Helper()
	if got := r.till.count(key); got != want {
		r.t.Errorf("%s: %d effects, want %d", key, got, want)
	}
}

func nothing(context.Context, *Operation) error { return nil }
