package judge

import (
	"fmt"
	"regexp"
	"strings"
)

// hidesClock is why a worker may not see the clock of this case though it asks the
// database for the time.
func hidesClock(events []Event) string {
	hides := pathHidesClock
	for _, e := range events {
		switch {
		case e.Event == EventOwnClock:
			hides = connectionHidesClock
		case e.Event == EventOwnPath:
			return fmt.Sprintf("worker %s connects with a search_path of its own, which hides the clock of this case", e.Worker)
		case e.Event == EventStep && peerOf(e) == PeerDatabase:
			if why := hides(strings.ToLower(e.Step)); why != "" {
				return fmt.Sprintf("worker %s %s", e.Worker, why)
			}
		}
	}
	return ""
}

// pathHidesClock: a path of its own, or a clock that no path leads to.
func pathHidesClock(step string) string {
	switch {
	case setsPath.MatchString(step):
		return "sets its own search_path, which hides the clock of this case"
	case fixedClock.MatchString(step):
		return fmt.Sprintf("asks for the time in a way that the clock of this case does not reach (%s)", fixedClock.FindString(step))
	}
	return ""
}

var (
	setsPath   = regexp.MustCompile(`\bsearch_path\b|\bset_config\b`)
	fixedClock = regexp.MustCompile(`\b(current_timestamp|localtimestamp)\b|\bpg_catalog\.\w*(now|timestamp)\b`)
)

// connectionHidesClock: a connection that sets its clock, or sets itself back, or a clock
// that cannot be set.
func connectionHidesClock(step string) string {
	switch {
	case setsTime.MatchString(step):
		return "sets or resets its connection's clock, which hides the clock of this case"
	case systemClock.MatchString(step):
		return "asks for the time in a way that the clock of this case does not reach (sysdate)"
	}
	return ""
}

var (
	setsTime    = regexp.MustCompile(`(?:database|;) (?:set [^;]*\btimestamp\b *=|resetconnection )`)
	systemClock = regexp.MustCompile(`\bsysdate\b`)
)
