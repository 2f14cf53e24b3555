package processtest

import (
	"testing"

	"github.com/twiceproof/twiceproof/lab/internal/process"
)

// Server is one that was started.
type Server interface{ Stop() error }

// PortClash checks that a server which finds its port taken tries the next one: first a
// port on which nobody answers, then the ports of servers that do.
func PortClash(t *testing.T, start func(port func() (int, error)) (Server, error), answering ...int) {
	t.Helper()
	taken, asked := append([]int{TakenPort(t)}, answering...), 0
	s, err := start(func() (int, error) {
		asked++
		if asked <= len(taken) {
			return taken[asked-1], nil
		}
		return process.FreePort()
	})
	if err != nil {
		t.Fatal(Explain(err))
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	if want := len(taken) + 1; asked != want {
		t.Errorf("asked for %d ports, want %d", asked, want)
	}
}

// BenchmarkStart measures the start and not the stop.
func BenchmarkStart(b *testing.B, start func() (Server, error)) {
	b.Helper()
	for b.Loop() {
		s, err := start()
		if err != nil {
			b.Fatal(Explain(err))
		}
		b.StopTimer()
		if err := s.Stop(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
