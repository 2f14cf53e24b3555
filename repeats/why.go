package repeats

import (
	"fmt"
	"strings"
	"time"
)

// Why is the evidence for a finding, in one sentence that holds no value of the data
// but lengths of time.
func (f Finding) Why() string {
	parts := []string{f.evidence()}
	switch {
	case f.Same:
		parts = append(parts, "the message id is the same")
	case f.Other:
		parts = append(parts, "the message id is another one")
	}
	if f.Content && f.Reason != ContentDiffers {
		parts = append(parts, "the content differs")
	}
	if f.Burst != nil && f.Class != RestartRecovery && f.Class != BatchAgain {
		parts = append(parts, fmt.Sprintf("%d references repeated at this moment", f.Burst.References))
	}
	return strings.Join(parts, "; ")
}

func (f Finding) evidence() string {
	switch f.Class {
	case VisibilityTimeout:
		return fmt.Sprintf("%s is %d × %s and what a run takes%s", Length(f.Gap), f.Multiple, Length(f.Timeout), f.fixed())
	case SidekiqRetry:
		from, to := sidekiqWindow(f.Count)
		return fmt.Sprintf("%s is in the window of Sidekiq's retry %d, %s to %s", Length(f.Gap), f.Count, Length(from), Length(to))
	case CeleryRetry:
		if f.Backoff {
			return Length(f.Gap) + " is one of three gaps that double: an exponential backoff without jitter"
		}
		return Length(f.Gap) + " is Celery's default_retry_delay of 180 s"
	case Deploy:
		return fmt.Sprintf("%s after the event before; a deploy lies beside it", Length(f.Gap))
	case RestartRecovery:
		return fmt.Sprintf("%d references repeated within %s, after different times", f.Burst.References, f.Burst.length())
	case BatchAgain:
		return fmt.Sprintf("%d references repeated within %s, all after about %s", f.Burst.References, f.Burst.length(), Length(f.Gap))
	case MaybeLegitimate:
		return fmt.Sprintf("%s after the event before: %s", Length(f.Gap), reasonWords[f.Reason])
	}
	return Length(f.Gap) + " after the event before"
}

func (f Finding) fixed() string {
	if f.Fixed {
		return "; a fixed retry delay of that length would look the same"
	}
	return ""
}

func (b *Burst) length() string { return Length(time.Duration(b.To-b.From) * time.Microsecond) }

// Length is a length of time for people: two units at most.
func Length(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + " s"
	case d < time.Hour:
		return twoUnits(d, time.Minute, "min", time.Second, "s")
	case d < 48*time.Hour:
		return twoUnits(d, time.Hour, "h", time.Minute, "min")
	}
	return twoUnits(d, 24*time.Hour, "d", time.Hour, "h")
}

func twoUnits(d, big time.Duration, bigName string, small time.Duration, smallName string) string {
	d = d.Round(small)
	text := fmt.Sprintf("%d %s", d/big, bigName)
	if rest := d % big / small; rest > 0 {
		text += fmt.Sprintf(" %d %s", rest, smallName)
	}
	return text
}
