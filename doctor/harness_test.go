package doctor_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/doctor"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

// change is one thing that is altered on a real server, and what is found then, alone.
type change struct {
	id       string
	do, undo string // statements or settings
}

// shown are the findings and gaps that a test has seen come and go.
var shown = struct {
	sync.Mutex
	ids map[string]bool
}{ids: map[string]bool{}}

func see(id string) {
	shown.Lock()
	defer shown.Unlock()
	shown.ids[id] = true
}

// comesAndGoes: nothing is found; after do exactly one thing is, however often; after
// undo nothing.
func comesAndGoes(t *testing.T, id string, examine func() doctor.Report, do, undo func()) {
	t.Helper()
	if got := found(examine()); len(got) > 0 {
		t.Fatalf("before the change: %q", got)
	}
	do()
	r := examine()
	if got := found(r); !slices.Equal(got, []string{id}) {
		t.Errorf("after the change: %q, want %s alone\n%+v", got, id, r)
	}
	undo()
	if got := found(examine()); len(got) > 0 {
		t.Errorf("after the change was undone: %q", got)
	}
	see(id)
}

// found are the findings' names, each once.
func found(r doctor.Report) (ids []string) {
	for _, f := range r.Findings {
		ids = append(ids, f.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

const jobText = `
version: 1
jobs:
  charge.create:
    queue: QUEUE
    message: MESSAGE
    operation: {key: ["KEY"]}
    effect: {kind: outside}
    longest_run: 40s
    lease: 2m
    stale_claim: {policy: lookup, settle: 30s}
    retention: 400d
`

// theJob is a job that nothing is wrong with, with some words of its file replaced.
func theJob(t *testing.T, queue job.Queue, replace ...string) []job.Job {
	t.Helper()
	key := map[job.Queue]string{job.SQS: "body.order", job.Celery: "kwargs.order_id", job.Sidekiq: "args[0]"}[queue]
	message := map[job.Queue]string{job.SQS: "charges", job.Celery: "billing.charge", job.Sidekiq: "ChargeWorker"}[queue]
	text := strings.NewReplacer("QUEUE", string(queue), "KEY", key, "MESSAGE", message).Replace(jobText)
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(text, replace[i]) {
			t.Fatalf("the job file has no %q", replace[i])
		}
		text = strings.Replace(text, replace[i], replace[i+1], 1)
	}
	file, err := jobfile.Parse("twiceproof.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return file.Jobs
}

// ownRow makes it a job whose effect is a row.
func ownRow(t *testing.T, queue job.Queue, replace ...string) []job.Job {
	return theJob(t, queue, append([]string{"{kind: outside}", "{kind: own_row}", "    stale_claim: {policy: lookup, settle: 30s}\n", ""}, replace...)...)
}

func schema(t *testing.T, name string) string {
	t.Helper()
	s, err := dialect.Load(name, "")
	if err != nil {
		t.Fatal(err)
	}
	return s.Schema
}

func ctxFor(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute) // also for what is cleaned up
	t.Cleanup(cancel)
	return ctx
}

// started fails a test whose server is not there, with the line that installs it.
func started[S any](t *testing.T, server S, err error) S {
	t.Helper()
	var missing interface{ Hint() string }
	if errors.As(err, &missing) {
		t.Fatalf("%v\nhint: %s", err, missing.Hint())
	}
	if err != nil {
		t.Fatal(err)
	}
	return server
}
