package replay

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/queue/celery"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/replay/process"
)

// slot runs one case after another, while other slots do the same. Each case has a world
// of its own; the slot has what is slow to start and two cases cannot share.
type slot struct {
	*lab
	celery celery.Servers
	ahead  chan database // of the next case, made while this one runs; nil: there is none
}

// runAll runs the cases, each in the next slot that is free. The first error ends all.
func (l *lab) runAll(ctx context.Context, cases []judge.Planned, out *Outcome) error {
	waiting := make(chan judge.Planned, len(cases))
	for _, p := range cases {
		waiting <- p
	}
	close(waiting)
	slots, ctx := errgroup.WithContext(ctx)
	for range max(1, min(l.Slots, len(cases))) {
		slots.Go(func() error {
			s := &slot{lab: l}
			defer s.close()
			for p := range waiting {
				if err := s.runCase(ctx, p, len(waiting) > 0, out); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return slots.Wait()
}

func (s *slot) close() {
	if s.ahead != nil {
		<-s.ahead // it goes with the server
	}
	_ = s.celery.Close() // its folder and processes are gone either way
}

// aloneFor says why a case must have the machine, or a server, to itself; empty where
// it need not.
func (c Case) aloneFor(s setting) string {
	switch {
	case c.Races:
		return "two workers race: what else runs would slow one of them down"
	case c.Point == judge.ClocksApart && s.database == jobfile.MySQL:
		return "the clock of the whole server is set ahead"
	}
	return ""
}

// take waits until the case may run, and gives what lets the others go on.
func (l *lab) take(p judge.Planned) (release func()) {
	if p.Alone != "" {
		l.alone.Lock()
		return l.alone.Unlock
	}
	l.alone.RLock()
	return l.alone.RUnlock
}

func (l *lab) nextWorld() int { return l.next(&l.worlds) }

func (l *lab) nextDatabase() int { return l.next(&l.databases) }

func (l *lab) next(count *int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	*count++
	return *count
}

// end ends the servers. With several slots a case has ended only what is known to be its
// own; what is left now hid whose it was, and may have spoilt any case.
func (l *lab) end(before map[int]string) error {
	l.forks.close()
	l.close()
	if l.Slots <= 1 {
		return nil
	}
	left := process.EndOrphans(before, "")
	if len(left) == 0 {
		return nil
	}
	return &hinted.Error{
		What: fmt.Sprintf("processes outlived their worker, and it cannot be told which case's they were: %s", strings.Join(left, ", ")),
		Hint: "replay with --slots 1",
	}
}
