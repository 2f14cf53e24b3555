package repeats

import "time"

// Sidekiq waits count⁴ + 15 seconds before retry number count (from 0), and some
// jitter: up to 2.4 none; 2.5 to 6.2.1 rand(30)·(count+1); 6.2.2 to 7 rand(10)·(count+1);
// from 8.0 rand(10·(count+1)). The widest is taken. To that come the rest of the run
// that failed and the poll of the schedule.
const (
	sidekiqBase   = 15 // seconds, as all three
	sidekiqJitter = 29
	sidekiqPoll   = 20
)

// sidekiqWindow is the gap that retry number count can have.
func sidekiqWindow(count int) (from, to time.Duration) {
	n := count + 1
	wait := time.Duration(count*count*count*count+sidekiqBase) * time.Second
	return wait - time.Second, wait + time.Duration(n*sidekiqJitter+sidekiqPoll)*time.Second
}

func onSidekiqCurve(gap time.Duration, count int) bool {
	from, to := sidekiqWindow(count)
	return from <= gap && gap <= to
}

// sidekiqCount is the retry whose window the gap is in: the likely one when it fits,
// or else the first.
func sidekiqCount(gap time.Duration, likely int) (count int, ok bool) {
	if likely < sidekiqRetries && onSidekiqCurve(gap, likely) {
		return likely, true
	}
	for count := range sidekiqRetries {
		if onSidekiqCurve(gap, count) {
			return count, true
		}
	}
	return 0, false
}

// sidekiqRun says whether the i-th repeat is within repeats that follow the curve one
// after another, so many that chance does not make them: three, or two from retry 3 on,
// where the windows no longer overlap.
func (g Group) sidekiqRun(i int) (count int, ok bool) {
	for first := range sidekiqRetries {
		for start := 1; start <= i; start++ {
			length := 0
			for start+length < len(g.Events) && first+length < sidekiqRetries && onSidekiqCurve(g.gap(start+length), first+length) {
				length++
			}
			if i < start+length && (length >= 3 || length == 2 && first >= 3) {
				return first + i - start, true
			}
		}
	}
	return 0, false
}

// Celery waits default_retry_delay, 180 s unless it is set, before each retry. With
// retry_backoff it waits min(retry_backoff_max, factor·2^n), and with retry_jitter, which
// is the default, a random time up to that: no curve can be seen then, only that the gap
// is not longer than retry_backoff_max, 600 s unless it is set.
const (
	celeryDelay      = 180 * time.Second
	celerySlack      = 10 * time.Second
	celeryBackoffMax = 600*time.Second + celerySlack
)

func onCeleryDelay(gap time.Duration) bool {
	return celeryDelay-time.Second <= gap && gap <= celeryDelay+celerySlack
}

// doubling counts the gaps, the i-th repeat's among them, of which each is twice the one
// before. Three are an exponential backoff without jitter; Sidekiq's curve may have three
// of them, too, and hardly four.
func (g Group) doubling(i int) int {
	first, last := i, i
	for first > 1 && twice(g.gap(first-1), g.gap(first)) {
		first--
	}
	for last+1 < len(g.Events) && twice(g.gap(last), g.gap(last+1)) {
		last++
	}
	return last - first + 1
}

func twice(a, b time.Duration) bool {
	return a > 0 && max(b, 2*a)-min(b, 2*a) <= max(time.Second, a/5)
}
