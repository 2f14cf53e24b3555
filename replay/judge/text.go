package judge

import (
	"fmt"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

func bounds(ends []job.End) (least, most int) {
	for i, e := range ends {
		if i == 0 || e.Effects < least {
			least = e.Effects
		}
		most = max(most, e.Effects)
	}
	return least, most
}

func effectsText(least, most int) string {
	if least == most {
		return fmt.Sprint(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

func endsText(ends []job.End) string {
	texts := make([]string, len(ends))
	for i, e := range ends {
		texts[i] = strings.TrimSpace(fmt.Sprintf("%d %s", e.Effects, e.State))
	}
	return strings.Join(texts, " or ")
}

func stateText(s Seen) string {
	if s.Records == 0 {
		return "absent"
	}
	return s.State
}

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
