package replay

import (
	"os"
	"testing"

	"github.com/twiceproof/twiceproof/queue/sqs"
	"github.com/twiceproof/twiceproof/replay/process"
)

// A worker may be struck before its launch is over.
func TestKilledWhileItIsLaunched(t *testing.T) {
	t.Parallel()
	q, err := sqs.Start(sqs.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	w := &world{lab: &lab{}, history: newHistory(), queue: q}
	k := &worker{name: "A", launched: make(chan struct{})}
	dead := make(chan struct{})
	go func() {
		w.kill(k)
		close(dead)
	}()
	if k.process, err = process.Start("exec sleep 1000", "", os.Environ()); err != nil {
		t.Fatal(err)
	}
	close(k.launched)
	<-dead
	if !k.process.HasExited() {
		t.Error("it is still there")
	}
}
