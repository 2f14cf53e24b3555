package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// told is what a ledger's events say, in short.
func told(l *Ledger) string {
	var all []string
	for _, e := range l.Look().Events {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s%d %s", e.Kind, e.Message, e.Copy, e.Worker)))
	}
	return strings.Join(all, ", ")
}

func state(l *Ledger) string {
	s := l.Look()
	return fmt.Sprintf("%d visible, %d in hand, %d delayed, %d dead, due %t", s.Visible, s.InFlight, s.Delayed, s.Dead, s.NextDue)
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %s, want %s", what, got, want)
	}
}

func TestADeliveryEndsWhenItsWorkerAsksForMore(t *testing.T) {
	l := NewLedger()
	if !l.Asks("A") {
		t.Error("one poll of a worker that has no more is all that it has")
	}
	l.Put(Sent, "m", "queue:default", []byte("{}"))
	l.Received("A", "m", "queue:default", []byte("{}"))
	l.Answered("A")
	if s := l.Look(); s.Idle["A"] || s.Asking["A"] || !l.WouldEnd("A") {
		t.Errorf("at work: %+v", s)
	}
	if l.Asks("A") {
		l.Ended("A")
	}
	expect(t, "events", told(l), "sent m1, received m1 A, deleted m1 A")
	if s := l.Look(); !s.Idle["A"] || s.Left() != 0 || l.WouldEnd("A") {
		t.Errorf("idle: %+v", s)
	}
}

// With three threads, one that works is not ended by the polls of the other two.
func TestOtherThreadsEndNothing(t *testing.T) {
	l := NewLedger()
	l.Threads("A", 3)
	for range 3 {
		l.Asks("A")
	}
	l.Put(Sent, "m", "q", nil)
	l.Received("A", "m", "q", nil)
	l.Answered("A")
	l.Answered("A") // another thread's poll ran out
	if l.WouldEnd("A") || l.Asks("A") {
		t.Error("one thread still works")
	}
	if !l.WouldEnd("A") || !l.Asks("A") {
		t.Error("all three ask")
	}
}

func TestPutBackAndDue(t *testing.T) {
	l := NewLedger()
	l.Put(Sent, "m", "q", []byte("a"))
	l.Received("A", "m", "q", []byte("a"))
	l.Delayed("A", "m", "schedule", []byte("b"), l.Now().Add(time.Minute))
	l.Ended("A") // it has nothing in hand any more
	expect(t, "put back", state(l), "0 visible, 0 in hand, 1 delayed, 0 dead, due true")
	if d := l.Look().Due; d < 59*time.Second || d > time.Minute+time.Millisecond {
		t.Errorf("due in %s", d)
	}
	if due, forced := l.Advance(30 * time.Second); len(due)+len(forced) > 0 {
		t.Errorf("too early: %v %v", due, forced)
	}
	due, forced := l.Advance(31 * time.Second)
	if len(due) != 1 || len(forced) != 0 || string(due[0].Payload) != "b" || due[0].Place != "schedule" {
		t.Errorf("%v %v", due, forced)
	}
	expect(t, "events", told(l), "sent m1, received m1 A, visibility_changed m1 A, visibility_over m1")
}

func TestWhatDiesWithItsWorkerIsLostAndPutOnAgain(t *testing.T) {
	l := NewLedger()
	l.Put(Sent, "m", "q", []byte("a"))
	l.Received("A", "m", "q", []byte("a"))
	l.Dead("A")
	expect(t, "dead", state(l), "0 visible, 0 in hand, 0 delayed, 0 dead, due true")
	due, forced := l.Advance(time.Millisecond)
	if len(due) != 0 || len(forced) != 1 || string(forced[0].Payload) != "a" {
		t.Fatalf("%v %v", due, forced)
	}
	if _, again := l.Advance(time.Hour); len(again) > 0 {
		t.Error("put on twice")
	}
	expect(t, "events", told(l), "sent m1, received m1 A, lost m1 A, redelivered m2")
}

// A worker that is paused keeps its copy, and ends it when it goes on.
func TestAPausedWorkerKeepsItsCopy(t *testing.T) {
	l := NewLedger()
	l.Put(Sent, "m", "q", nil)
	l.Received("A", "m", "q", nil)
	if _, forced := l.Advance(time.Minute); len(forced) != 1 {
		t.Fatal("not put on again")
	}
	expect(t, "paused", state(l), "1 visible, 1 in hand, 0 delayed, 0 dead, due false")
	l.Received("B", "m", "q", nil)
	l.Ended("B")
	l.Ended("A")
	expect(t, "events", told(l), "sent m1, received m1 A, redelivered m2, received m2 B, deleted m2 B, deleted m1 A")
}

// What comes by way of another connection may be received before it is seen to be sent.
func TestReceivedBeforeItsSendingWasSeen(t *testing.T) {
	l := NewLedger()
	l.Received("A", "m", "q", nil)
	l.Arrived("", "m", "q", nil)
	expect(t, "events", told(l), "sent m1, received m1 A")
	expect(t, "state", state(l), "0 visible, 1 in hand, 0 delayed, 0 dead, due false")
}

// A poller that takes what is due just when the replay lets time pass puts it on once.
func TestWhatAPollerIsAboutToPutOnIsNoOtherCopy(t *testing.T) {
	for foreseen, want := range map[bool]string{true: "1 visible, 0 in hand, 0 delayed, 0 dead, due false", false: "2 visible, 0 in hand, 0 delayed, 0 dead, due false"} {
		l := NewLedger()
		l.Put(Sent, "m", "q", nil)
		l.Received("A", "m", "q", nil)
		l.Delayed("A", "m", "schedule", nil, l.Time().Add(time.Minute))
		if due, _ := l.Advance(2 * time.Minute); len(due) != 1 {
			t.Fatal("not due")
		}
		if foreseen {
			l.Foreseen("m")
		}
		l.Arrived("B", "m", "q", nil)
		expect(t, "state", state(l), want)
	}
}

func TestGivenBackDeadAndLost(t *testing.T) {
	l := NewLedger()
	l.Put(Sent, "m", "q", nil)
	l.Received("A", "m", "q", nil)
	l.Arrived("A", "m", "q", nil) // by a worker that stops
	l.Received("B", "m", "q", nil)
	l.Died("B", "m", "dead", "no retry is left")
	expect(t, "dead letter", state(l), "0 visible, 0 in hand, 0 delayed, 1 dead, due false")
	l.Put(Sent, "n", "q", nil)
	if gone := l.Lose(); len(gone) != 2 {
		t.Errorf("%v", gone)
	}
	expect(t, "events", told(l), "sent m1, received m1 A, visibility_changed m1 A, received m1 B, dead_lettered m1 B, sent n1, gone m1, gone n1")
	if place, _, ok := l.Known("m"); !ok || place != "q" {
		t.Errorf("%q %t", place, ok)
	}
}

func TestWait(t *testing.T) {
	l := NewLedger()
	found := make(chan error, 1)
	go func() {
		found <- l.Wait(t.Context(), func(s Snapshot) bool {
			return slices.ContainsFunc(s.Events, func(e Event) bool { return e.Message == "m" })
		})
	}()
	l.Put(Sent, "m", "q", nil)
	if err := <-found; err != nil {
		t.Error(err)
	}
	never := func(Snapshot) bool { return false }
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Wait(over, never); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	l.Close()
	l.Close()
	if err := l.Wait(t.Context(), never); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}
