package guardtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"github.com/twiceproof/twiceproof"
)

// service is the outside service: it keeps the reference of every call, by order.
type service struct {
	world   *world
	mu      sync.Mutex
	effects map[string][]string
	looked  int
	says    string // truth when empty
}

func (s *service) answer(says string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.says = says
}

var errService = errors.New("the service does not answer")

// act makes the effect: a call, or a row through the operation's transaction.
func (s *service) act(ctx context.Context, tx *sql.Tx, op *twiceproof.Operation) error {
	if tx != nil {
		q := "INSERT INTO effects (job_type, operation_key, reference) VALUES (" + s.world.holders(1, 3) + ")"
		_, err := tx.ExecContext(ctx, q, s.world.jobType, op.Key, op.Reference)
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.effects[op.Key] = append(s.effects[op.Key], op.Reference)
	return nil
}

// lookUp answers for a worker, which may have to pause first.
func (s *service) lookUp(w *worker, op *twiceproof.Operation) (found bool, err error) {
	s.mu.Lock()
	s.looked++
	says := s.says
	s.mu.Unlock()
	if says == "pauses" {
		if err := w.pause(); err != nil {
			return false, err
		}
		says = ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch says {
	case "found":
		return true, nil
	case "absent":
		return false, nil
	case "error":
		return false, errService
	case "panics":
		panic("the look-up's own mistake")
	}
	for _, reference := range s.effects[op.Key] {
		found = found || reference == op.Reference
	}
	return found, nil
}

// count is the number of an order's effects. More than one reference is an error:
// it is a function of the operation.
func (s *service) count(ctx context.Context, order string) (int, error) {
	s.mu.Lock()
	references := append([]string{}, s.effects[order]...)
	s.mu.Unlock()
	q := "SELECT reference FROM effects WHERE job_type = " + s.world.holders(1, 1) + " AND operation_key = " + s.world.holders(2, 1)
	rows, err := s.world.plain.QueryContext(ctx, q, s.world.jobType, order)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var reference string
		if err := rows.Scan(&reference); err != nil {
			return 0, err
		}
		references = append(references, reference)
	}
	for _, one := range references {
		if one != references[0] {
			return 0, fmt.Errorf("two references of one operation: %s and %s", references[0], one)
		}
	}
	return len(references), rows.Err()
}

func (s *service) lookUps() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.looked
}
