package twiceproof

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestSweepChild is the sweep that is killed. Its queue is what it writes.
func TestSweepChild(t *testing.T) {
	var c child
	asChild(t, childEnv, &c)
	r := newRigOn(t, &rig{d: databaseOf(c.Dialect), dsn: c.DSN, table: c.Table})
	s, err := NewSweeper(r.plain, c.Dialect, lookupJob(), c.Table)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Sweep(context.Background(), SweepOptions{Apply: true, Fields: storedFields, PutBack: func(_ context.Context, message []byte) error {
		_, err := fmt.Println("pushed", orderOf(message))
		return err
	}})
	fmt.Println("end", err)
}

// SIGKILL of the sweep's process, wherever it is: each message is on the queue once, at
// once or, when the kill came between its mark and its push, a lease later.
func TestSweepKilled(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		const rows = 200
		within := 0 // the kills that came before the end
		for _, after := range []int{1, 20, 60, 120} {
			r.vanishMany(lookupJob(), "k", rows)
			pushed, ended := r.killedSweep(after)
			if !ended {
				within++
			}
			s, queue := r.sweeper(lookupJob()), &pushes{}
			r.swept(s, applying(queue))
			marked := 0
			for i := range rows {
				if key := fmt.Sprint("k", i+1); pushed[key]+queue.count(key) == 0 {
					marked++
					r.requeuedAgo(key, lease)
				}
			}
			r.swept(s, applying(queue))
			for i := range rows {
				if key := fmt.Sprint("k", i+1); pushed[key]+queue.count(key) != 1 {
					t.Errorf("killed after %d: %s was pushed %d times, and then %d times", after, key, pushed[key], queue.count(key))
				}
			}
			if marked > 1 {
				t.Errorf("killed after %d: %d marked and not pushed", after, marked)
			}
			r.exec("DELETE FROM " + r.table)
		}
		if within == 0 {
			t.Error("no kill came before the end: nothing was shown")
		}
	})
}

// killedSweep kills a sweep after it pushed so many, and gives what it pushed in all.
func (r *rig) killedSweep(after int) (pushed map[string]int, ended bool) {
	r.t.Helper()
	cmd, _, out := r.start("TestSweepChild", child{})
	pushed = map[string]int{}
	for out.Scan() {
		key, isPush := strings.CutPrefix(out.Text(), "pushed ")
		if ended = ended || strings.HasPrefix(out.Text(), "end "); !isPush {
			continue
		}
		if pushed[key]++; len(pushed) == after {
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Wait()
	if len(pushed) < after {
		r.t.Fatalf("only %d pushed", len(pushed))
	}
	return pushed, ended
}
