package repeats

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// begin is a Wednesday, far from a change of the clock.
var begin = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// group makes events, each given by its gap to the one before: "30s", and perhaps the
// message id and the content: "30s m1 c1". An id or content of "-" is not known.
func group(first time.Duration, events ...string) Group {
	g := Group{Reference: fmt.Sprint(first)}
	at := begin.Add(first)
	for _, text := range append([]string{"0s"}, events...) {
		words := append(strings.Fields(text), "-", "-")
		gap, err := time.ParseDuration(words[0])
		if err != nil {
			panic(err)
		}
		at = at.Add(gap)
		g.Events = append(g.Events, Event{At: at.UnixMicro(), Message: named(words[1]), Content: named(words[2])})
	}
	return g
}

// ids gives every event of a group a message id, the first one's first.
func ids(g Group, messages ...string) Group {
	for i := range g.Events {
		g.Events[i].Message = named(messages[min(i, len(messages)-1)])
	}
	return g
}

func contents(g Group, contents ...string) Group {
	for i := range g.Events {
		g.Events[i].Content = named(contents[min(i, len(contents)-1)])
	}
	return g
}

func named(s string) (n uint64) {
	if s == "-" {
		return 0
	}
	for _, c := range s {
		n = n*131 + uint64(c)
	}
	return n
}

// told is the class of a repeat, and after a slash what it could be as well.
func told(f Finding) string {
	text := string(f.Class)
	for i, c := range f.Also {
		text += map[bool]string{true: "/", false: ","}[i == 0] + string(c)
	}
	return text
}

// context surveys groups, as the scan does.
func context(set Settings, groups ...Group) *Context {
	var s Survey
	for _, g := range groups {
		s.Add(g)
	}
	return s.Context(set)
}

// Each class by one repeat alone, and beside it what looks like it and is something else.
func TestClassesOfOneRepeat(t *testing.T) {
	same := func(gap string) Group { return ids(group(0, gap), "m") }
	other := func(gap string) Group { return ids(group(0, gap), "m1", "m2") }
	for _, c := range []struct {
		what  string
		queue string
		g     Group
		want  string
	}{
		{"race, no ids", "", group(0, "12ms"), "race/duplicate_producer"},
		{"race, the same message", "", same("12ms"), "race"},
		{"race, at the threshold", "", same("2s"), "race"},
		{"… just over it", "", same("2001ms"), "retry"},
		{"duplicate producer", "", other("12ms"), "duplicate_producer"},
		{"… at the threshold", "", other("2s"), "duplicate_producer"},
		{"… over it: enqueued again", "", other("3s"), "re_enqueue"},
		{"retry", "sqs", same("12s"), "retry"},
		{"retry, could be Sidekiq's", "", same("20s"), "retry/sidekiq_retry"},
		{"… but not on another queue", "sqs", same("20s"), "retry"},
		{"SQS's usual timeout, once, nobody named it", "sqs", same("31s"), "retry/visibility_timeout"},
		{"… on Sidekiq, which has none", "sidekiq", same("31s"), "sidekiq_retry"},
		{"Sidekiq's retry 0", "sidekiq", same("17s"), "sidekiq_retry"},
		{"… too soon for it", "sidekiq", same("8s"), "retry"},
		{"Sidekiq's retry 9, 6576 s and up", "sidekiq", same("6600s"), "sidekiq_retry"},
		{"… between two windows", "sidekiq", same("8000s"), "redelivery"},
		{"Celery's default delay", "celery", same("182s"), "celery_retry"},
		{"… nobody named the queue", "", same("182s"), "celery_retry"},
		{"… another length", "celery", same("240s"), "retry/celery_retry"},
		{"… longer than any backoff", "celery", same("700s"), "retry"},
		{"Celery's first backoff is within a race", "celery", same("700ms"), "race/celery_retry"},
		{"the same message much later", "sqs", same("20h"), "redelivery"},
		{"another message much later", "sqs", other("20h"), "re_enqueue"},
		{"much later, no ids", "sqs", group(0, "20h10m"), "re_enqueue/redelivery"},
		{"close at the threshold", "sqs", same("15m"), "retry"},
		{"… just over it", "sqs", same("15m1s"), "redelivery"},
		{"a month later", "", group(0, "744h"), "maybe_legitimate"},
		{"… the same message: a redelivery all the same", "", same("744h"), "redelivery"},
		{"… two days off the month", "sqs", group(0, "792h"), "re_enqueue/redelivery"},
		{"a year later", "", group(0, "8760h"), "maybe_legitimate"},
		{"another amount", "", contents(other("40s"), "c1", "c2"), "maybe_legitimate/re_enqueue"},
		{"another amount at once", "", contents(other("40ms"), "c1", "c2"), "maybe_legitimate/duplicate_producer"},
		{"another amount in the same message", "sqs", contents(same("12s"), "c1", "c2"), "retry"},
		{"the same amount", "", contents(other("40s"), "c1"), "re_enqueue"},
	} {
		if got := told(context(Settings{Queue: c.queue}, c.g).Classify(c.g, 1)); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// Curves need several repeats of one reference.
func TestCurves(t *testing.T) {
	for _, c := range []struct {
		what  string
		queue string
		g     Group
		want  []string
	}{
		{"Sidekiq's curve from retry 0", "", group(0, "20s", "22s", "40s", "110s"), []string{"sidekiq_retry", "sidekiq_retry", "sidekiq_retry", "sidekiq_retry"}},
		{"… from retry 4: two are enough", "", group(0, "290s", "660s"), []string{"sidekiq_retry", "sidekiq_retry"}},
		{"… two of the early ones are not", "", group(0, "20s", "22s"), []string{"retry/sidekiq_retry", "retry/sidekiq_retry"}},
		{"… equal gaps are not", "", group(0, "300s", "300s", "300s"), []string{"retry/sidekiq_retry", "retry/sidekiq_retry", "retry/sidekiq_retry"}},
		{"… nor on another queue", "sqs", group(0, "290s", "660s"), []string{"retry", "retry"}},
		{"a backoff that doubles", "celery", ids(group(0, "3s", "6s", "12s", "24s"), "m"), []string{"celery_retry", "celery_retry", "celery_retry", "celery_retry"}},
		{"… three equal gaps", "celery", ids(group(0, "6s", "6s", "6s"), "m"), []string{"retry/celery_retry", "retry/celery_retry", "retry/celery_retry"}},
		{"every day at the same time", "", group(0, "24h", "24h", "24h"), []string{"maybe_legitimate", "maybe_legitimate", "maybe_legitimate"}},
		{"… at the threshold: a visibility timeout of 12 h, and what a run takes", "sqs", group(0, "12h10m", "12h10m"), []string{"re_enqueue/redelivery", "re_enqueue/redelivery"}},
		{"… just over it", "sqs", group(0, "12h10m1s", "12h10m1s"), []string{"maybe_legitimate", "maybe_legitimate"}},
		{"… the same message: a redelivery all the same", "sqs", ids(group(0, "24h", "24h"), "m"), []string{"redelivery", "redelivery"}},
		{"… twice only", "sqs", group(0, "24h"), []string{"re_enqueue/redelivery"}},
		{"… at uneven times", "sqs", group(0, "24h", "31h", "19h"), []string{"re_enqueue/redelivery", "re_enqueue/redelivery", "re_enqueue/redelivery"}},
		{"… each hour: a visibility timeout may do that", "sqs", group(0, "1h", "1h"), []string{"re_enqueue/redelivery,visibility_timeout", "re_enqueue/redelivery,visibility_timeout"}},
	} {
		context := context(Settings{Queue: c.queue}, c.g)
		var got []string
		for i := 1; i < len(c.g.Events); i++ {
			got = append(got, told(context.Classify(c.g, i)))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// many spreads groups with these gaps over days, one each 7 hours.
func many(gaps ...string) (groups []Group) {
	for i, gap := range gaps {
		groups = append(groups, group(time.Duration(i)*7*time.Hour, gap))
	}
	return groups
}

// Gaps that pile up are a visibility timeout, or a fixed delay, which looks the same.
func TestVisibilityTimeout(t *testing.T) {
	piled := []string{"45.1s", "45.4s", "46s", "46.2s", "45.9s", "45.5s", "90.8s", "91s"}
	spread := []string{"21s", "27s", "33s", "39s", "45s", "52s", "61s", "70s"}
	for _, c := range []struct {
		what string
		set  Settings
		gaps []string
		at   int
		want string
		k    int
	}{
		{"a pile, the queue not known", Settings{}, piled, 0, "visibility_timeout/retry", 1},
		{"… on SQS", Settings{Queue: "sqs"}, piled, 0, "visibility_timeout", 1},
		{"… and its multiple", Settings{Queue: "sqs"}, piled, 6, "visibility_timeout", 2},
		{"… on Sidekiq, which has no timeout", Settings{Queue: "sidekiq"}, piled, 0, "sidekiq_retry", 0},
		{"no pile", Settings{Queue: "sqs"}, spread, 4, "retry", 0},
		{"no pile, but the timeout is known", Settings{Queue: "sqs", Visibility: []time.Duration{45 * time.Second}}, spread, 4, "visibility_timeout", 1},
		{"… and this gap is no multiple", Settings{Queue: "sqs", Visibility: []time.Duration{45 * time.Second}}, spread, 6, "retry", 0},
		{"four are no pile", Settings{Queue: "sqs"}, piled[:4], 0, "retry", 0},
		{"five are", Settings{Queue: "sqs"}, piled[:5], 0, "visibility_timeout", 1},
		{"180 s: Celery's delay or a timeout", Settings{}, []string{"181s", "181.2s", "182s", "180.9s", "183s"}, 0, "visibility_timeout/celery_retry,retry", 1},
		{"… on Celery", Settings{Queue: "celery"}, []string{"181s", "181.2s", "182s", "180.9s", "183s"}, 0, "celery_retry/visibility_timeout", 1},
		{"an hour: Redis under Celery", Settings{Queue: "celery"}, []string{"3601s", "3605s", "3630s", "3640s", "3610s"}, 1, "visibility_timeout/retry", 1},
	} {
		groups := many(c.gaps...)
		f := context(c.set, groups...).Classify(groups[c.at], 1)
		if told(f) != c.want || f.Multiple != c.k {
			t.Errorf("%s: %s × %d, want %s × %d", c.what, told(f), f.Multiple, c.want, c.k)
		}
	}
}

// A month is no visibility timeout, however many pile up there.
func TestMonthsAreNoTimeout(t *testing.T) {
	groups := many("744h", "744h", "744h", "744h", "744h", "744h")
	if c := context(Settings{}, groups...); len(c.Timeouts) > 0 {
		t.Errorf("%+v", c.Timeouts)
	}
}

// Many references that repeat at one moment: recovery after a restart, or a batch.
func TestMoments(t *testing.T) {
	at := func(moment time.Duration, gaps ...string) (groups []Group) {
		for i, gap := range gaps {
			d, err := time.ParseDuration(gap)
			if err != nil {
				t.Fatal(err)
			}
			groups = append(groups, group(moment-d+time.Duration(i)*time.Second, gap))
		}
		return groups
	}
	with := func(groups []Group, messages ...string) []Group {
		for _, g := range groups {
			ids(g, messages...)
		}
		return groups
	}
	apart := []string{"100s", "1000s", "3h", "77m", "400s", "12m"}
	alike := []string{"2000s", "2001s", "2000s", "2000s", "2001s", "2000s"}
	for _, c := range []struct {
		what   string
		groups []Group
		want   string
	}{
		{"after different times", at(100*time.Hour, apart...), "restart_recovery/re_enqueue"},
		{"… the same messages", with(at(100*time.Hour, apart...), "m"), "restart_recovery"},
		{"… other messages: somebody enqueued them all", with(at(100*time.Hour, apart...), "m1", "m2"), "re_enqueue"},
		{"after the same time: a batch", with(at(100*time.Hour, alike...), "m"), "batch_again"},
		{"four references are none", at(100*time.Hour, apart[:4]...), "retry/sidekiq_retry"},
		{"one reference, again and again", []Group{group(0, "4s", "4s", "4s", "4s")}, "retry"},
		{"a busy time: as many in every minute", steady(at), "retry/sidekiq_retry"},
	} {
		if len(c.groups) == 6 && c.want == "batch_again" { // a pile of gaps comes first otherwise
			c.groups = append(c.groups, many("1900s", "1950s", "2050s", "2100s", "1900s", "2100s")...)
		}
		f := context(Settings{}, c.groups...).Classify(c.groups[0], 1)
		if told(f) != c.want {
			t.Errorf("%s: %s, want %s (%s)", c.what, told(f), c.want, f.Why())
		}
	}
}

// steady has seven repeats in every ten seconds of two hours, after all kinds of times.
func steady(at func(time.Duration, ...string) []Group) (groups []Group) {
	for moment, n := 10*time.Hour, 0; moment < 12*time.Hour; moment, n = moment+10*time.Second, n+1 {
		var gaps []string
		for i := range 7 {
			gaps = append(gaps, fmt.Sprintf("%ds", 100+100*i+(n*37+i*11)%100))
		}
		groups = append(groups, at(moment, gaps...)...)
	}
	middle := len(groups) / 2 / 7 * 7
	return append(groups[middle:], groups[:middle]...)
}

// Repeats beside deploys are the deploys' only when they are more than chance has.
func TestDeploys(t *testing.T) {
	var groups []Group
	for i := range 6 {
		groups = append(groups, group(time.Duration(i)*50*time.Hour, fmt.Sprintf("%ds", 280+30*i)))
	}
	rare := []int64{}
	for _, g := range groups[:4] {
		rare = append(rare, g.Events[0].At+60_000_000)
	}
	hourly := []int64{}
	for at := begin.UnixMicro(); at < begin.Add(300*time.Hour).UnixMicro(); at += 900_000_000 {
		hourly = append(hourly, at)
	}
	for _, c := range []struct {
		what    string
		deploys []int64
		at      int
		want    string
	}{
		{"after the first event and before the repeat", rare, 0, "deploy"},
		{"no deploy beside this one", rare, 5, "retry/sidekiq_retry"},
		{"a deploy each quarter of an hour shows nothing", hourly, 0, "retry/sidekiq_retry"},
		{"two beside deploys are too few", rare[:2], 0, "retry/sidekiq_retry"},
		{"no deploys", nil, 0, "retry/sidekiq_retry"},
	} {
		if got := told(context(Settings{Deploys: c.deploys}, groups...).Classify(groups[c.at], 1)); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// Whole hours may be two clocks, when the times have no zone.
func TestTimeZone(t *testing.T) {
	for _, c := range []struct {
		gap   string
		naive bool
		want  bool
	}{
		{"2h", true, true}, {"2h1s", true, true}, {"2h", false, false}, {"2h5s", true, false}, {"20h", true, false}, {"90m", true, false},
	} {
		f := context(Settings{Naive: c.naive}, group(0, c.gap)).Classify(group(0, c.gap), 1)
		if got := slices.Contains(f.Also, TimeZone); got != c.want || f.Class == TimeZone {
			t.Errorf("%s, naive %t: %s", c.gap, c.naive, told(f))
		}
	}
}

// The windows of Sidekiq's retries, as its versions have had them.
func TestSidekiqWindows(t *testing.T) {
	for count := range sidekiqRetries {
		base := time.Duration(count*count*count*count+15) * time.Second
		for _, jitter := range []int{0, 9 * (count + 1), 10*(count+1) - 1, 29 * (count + 1)} { // none; 6.2.2; 8.0; 2.5
			if gap := base + time.Duration(jitter)*time.Second; !onSidekiqCurve(gap, count) {
				t.Errorf("retry %d after %s is not on the curve", count, gap)
			}
		}
		if onSidekiqCurve(base-2*time.Second, count) || onSidekiqCurve(base+time.Duration(30*(count+1)+20)*time.Second, count) {
			t.Errorf("the window of retry %d is too wide", count)
		}
	}
}

// A class has words, and evidence that names no reference.
func TestEveryClassIsTold(t *testing.T) {
	for _, c := range append(slices.Clone(Classes), TimeZone) {
		if c.Name() == "" || c.Meaning() == "" {
			t.Errorf("%s has no words", c)
		}
	}
	if len(classWords) != len(Classes)+1 {
		t.Errorf("%d classes have words, %d are told", len(classWords), len(Classes)+1)
	}
}
