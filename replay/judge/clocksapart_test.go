package judge_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
	. "github.com/twiceproof/twiceproof/replay/judge"
)

// A claim that is as old as the database is ahead was written by another clock, unless
// the wire shows why the worker does not see the one that is ahead.
func TestJudgeClocksApart(t *testing.T) {
	p := plannedFor(job.Lookup, guarded, "young_claim/clocks_apart")
	behind := with(claimed, func(s *Seen) { s.ClaimAgeMS = (1000 * time.Hour).Milliseconds() })
	step := func(text string) Event {
		return Event{Event: EventStep, Worker: "A", Step: text + " #1", What: "request"}
	}
	for _, c := range []struct {
		name  string
		seen  Seen
		more  []Event
		kind  string
		doubt string
	}{
		{"the database's clock", claimed, nil, "", ""},
		{"another clock", behind, nil, AgainstPolicy, ""},
		{"another clock, given as a parameter", behind, []Event{step("database INSERT INTO jobs (claimed_at) VALUES ($1)")}, AgainstPolicy, ""},
		{"a service that has such a path", behind, []Event{step("outside POST /search_path")}, AgainstPolicy, ""},
		{"a path of its own", behind, []Event{step("database SET search_path TO app")}, "", "sets its own search_path"},
		{"by a function", behind, []Event{step("database SELECT set_config(?, ?, ?)")}, "", "sets its own search_path"},
		{"as it connects", behind, []Event{{Event: EventOwnPath, Worker: "A"}}, "", "connects with a search_path"},
		{"a clock that is no function", behind, []Event{step("database INSERT INTO jobs VALUES (CURRENT_TIMESTAMP)")}, "", "current_timestamp"},
		{"a function by its full name", behind, []Event{step("database INSERT INTO jobs VALUES (pg_catalog.now())")}, "", "pg_catalog.now"},
		{"own clock, an own row's limits", claimed, []Event{{Event: EventOwnClock}, step("database SET SESSION wait_timeout = ?")}, "", ""},
		{"own clock, current_timestamp", behind, []Event{{Event: EventOwnClock}, step("database INSERT INTO jobs VALUES (CURRENT_TIMESTAMP)")}, AgainstPolicy, ""},
		{"own clock, a column timestamp", behind, []Event{{Event: EventOwnClock}, step("database UPDATE jobs SET timestamp = ?")}, AgainstPolicy, ""},
		{"own clock, set by itself", behind, []Event{{Event: EventOwnClock}, step("database SET NAMES utf8mb4; SET @@session.timestamp = ?")}, "", "its connection's clock"},
		{"own clock, set back", behind, []Event{{Event: EventOwnClock}, step("database ResetConnection")}, "", "its connection's clock"},
		{"own clock, the system's", behind, []Event{{Event: EventOwnClock}, step("database INSERT INTO jobs VALUES (SYSDATE(?))")}, "", "sysdate"},
		{"a path of its own, and no harm", claimed, []Event{step("database SET search_path TO app")}, "", "sets its own search_path"},
	} {
		events := slices.Concat(c.more, []Event{
			faultFired(), look(SeenFault, c.seen), look(SeenYoung, c.seen), passed(lease + 1000), look(SeenEnd, completed),
		})
		got := Of(p, events)
		want := OK
		switch {
		case c.kind != "":
			want = Violation
		case c.doubt != "":
			want = Unknown
		}
		if got.Verdict != want || got.Kind != c.kind || !strings.Contains(got.Why, c.doubt) {
			t.Errorf("%s: got %+v, want %s %s %s", c.name, got, want, c.kind, c.doubt)
		}
	}
}
