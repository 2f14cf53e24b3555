package replay

import (
	"os"
	"testing"

	"github.com/twiceproof/twiceproof/queue/sqs"
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
	if k.process, err = startProcess("exec sleep 1000", "", os.Environ()); err != nil {
		t.Fatal(err)
	}
	close(k.launched)
	<-dead
	if !k.process.hasExited() {
		t.Error("it is still there")
	}
}
