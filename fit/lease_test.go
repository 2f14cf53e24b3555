package fit

import (
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/jobfile"
)

func TestSuggestLease(t *testing.T) {
	for run, want := range map[string]string{
		"1ms": "30s", "10s": "30s", "15s": "50s", "20s": "1m", "40s": "2m", "41s": "3m", "5m": "15m", "19m": "57m", "21m": "1h5m", "7d": "21d",
	} {
		d, err := jobfile.ParseDuration(run)
		if err != nil {
			t.Fatal(err)
		}
		if got := SuggestLease(d); jobfile.FormatDuration(got) != want || got < 3*d {
			t.Errorf("%s: got %s, want %s", run, got, want)
		}
	}
}

func TestWhyLeaseCounts(t *testing.T) {
	for _, c := range []struct {
		run, lease time.Duration
		want       string
	}{
		{40 * time.Second, 2 * time.Minute, "2m is 3 times that"},
		{40 * time.Second, 80 * time.Second, "1m20s is twice that"},
		{40 * time.Second, time.Minute, "1m is more than once that"},
		{40 * time.Second, 3 * time.Minute, "3m is more than 4 times that"},
		{40 * time.Second, 90 * time.Second, "1m30s is more than twice that"},
	} {
		if got := WhyLease(c.run, c.lease); !strings.Contains(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
