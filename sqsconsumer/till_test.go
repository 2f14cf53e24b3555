package sqsconsumer

import (
	"context"
	"sync"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/job"
)

// till is the outside service: it counts the charges of each reference.
type till struct {
	mu      sync.Mutex
	charges map[string]int
	ask     twiceproof.LookUp // another service to ask
}

func (s *till) charge(_ context.Context, op *twiceproof.Operation) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.charges[op.Reference]++
	return nil
}

func (s *till) lookUp(ctx context.Context, op *twiceproof.Operation) (bool, error) {
	if s.ask != nil {
		return s.ask(ctx, op)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.charges[op.Reference] > 0, nil
}

func (s *till) count(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.charges[job.Reference("charge_order", key)]
}

// gated is an act that charges and then waits for open, heeding nothing.
func (s *till) gated() (act twiceproof.Act, entered <-chan string, open func()) {
	in, gate := make(chan string, 10), make(chan struct{})
	return func(ctx context.Context, op *twiceproof.Operation) error {
		_ = s.charge(ctx, op)
		in <- op.Key
		<-gate
		return nil
	}, in, sync.OnceFunc(func() { close(gate) })
}
