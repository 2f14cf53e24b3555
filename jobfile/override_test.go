package jobfile

import (
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

const jobNamed = `version: 1
jobs:
  mail.send: # another job, which stays as it is
    queue: sqs
    message: mails
    operation: {key: [body.id], repeat: The same mail.}
    effect: {kind: outside, what: a mail}
    longest_run: 5s
    lease: 1m
    stale_claim: {policy: hold}
  %s:
    queue: sqs
    message: charges
    operation: {key: [body.id], repeat: The same order.}
    effect: {kind: outside, what: a charge}
    longest_run: 5s
    lease: 1m
    stale_claim:
      policy: lookup # as agreed
      settle: 1m30s
      max_lookups: 3
      max_takeovers: 2
`

func TestWithPolicyChangesOneJob(t *testing.T) {
	for _, name := range []string{"charge.create", "charge", `"it's.a \"job\""`, `"a b/c"`, `"$.jobs[0]"`} {
		text := []byte(strings.Replace(jobNamed, "%s", name, 1))
		before, err := Parse("twiceproof.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		changed, err := WithPolicy(text, before.Jobs[1], job.Hold)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		after, err := Parse("twiceproof.yaml", changed)
		if err != nil {
			t.Fatalf("%s: %v in\n%s", name, err, changed)
		}
		if want := (job.Stale{Policy: job.Hold, MaxTakeovers: 2}); after.Jobs[1].Stale != want {
			t.Errorf("%s: stale claim %+v, want %+v", name, after.Jobs[1].Stale, want)
		}
		if after.Jobs[0].Stale != before.Jobs[0].Stale || after.Jobs[1].Type != before.Jobs[1].Type {
			t.Errorf("%s: more than the policy changed:\n%s", name, changed)
		}
	}
}

func TestWithPolicyKeepsWhatTheNewPolicyTakes(t *testing.T) {
	text := []byte(strings.Replace(jobNamed, "%s", "charge", 1))
	file, err := Parse("twiceproof.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	same, err := WithPolicy(text, file.Jobs[1], job.Lookup)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("twiceproof.yaml", same)
	if err != nil {
		t.Fatal(err)
	}
	want := job.Stale{Policy: job.Lookup, Settle: 90 * time.Second, MaxLookups: 3, MaxTakeovers: 2}
	if again.Jobs[1].Stale != want {
		t.Errorf("stale claim %+v, want %+v", again.Jobs[1].Stale, want)
	}
}

// A policy that needs a setting which is not there is refused as in a file.
func TestWithPolicyThatLacksASetting(t *testing.T) {
	text := []byte(strings.Replace(jobNamed, "%s", "charge", 1))
	file, err := Parse("twiceproof.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	changed, err := WithPolicy(text, file.Jobs[0], job.Lookup)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Parse("twiceproof.yaml", changed); err == nil || !strings.Contains(err.Error(), "settle") {
		t.Errorf("error %v, want one about settle", err)
	}
}
