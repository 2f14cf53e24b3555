package guardtest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// compare tells in what a delivery came out otherwise than a line says.
func (e event) compare(l line) error {
	got := e.outcome()
	if got != l.outcome {
		return errors.Join(fmt.Errorf("%s, want %s (%+v)", got, l.outcome, e.result), e.why())
	}
	if e.paused || e.raised {
		return nil
	}
	for flag, is := range map[string]bool{"acknowledge": e.err == nil && e.result.Acknowledge(), "repeat": e.result.Repeat} {
		if is != contains(l.flags, flag) {
			return fmt.Errorf("%s: %v", flag, is)
		}
	}
	for name, want := range l.want {
		if err := e.about(name, want); err != nil {
			return err
		}
	}
	return nil
}

func (e event) outcome() string {
	switch {
	case e.paused:
		return "paused"
	case e.raised:
		return "raised"
	case e.err != nil:
		return "error"
	}
	return string(e.result.Outcome)
}

func (e event) why() error {
	if e.err != nil {
		return e.err
	}
	return e.result.Err
}

func (e event) about(name, want string) error {
	got := map[string]string{
		"completion": e.result.Completion, "value": string(e.result.Value), "value_bytes": strconv.Itoa(len(e.result.Value)),
	}[name]
	if name == "retry_after" {
		return within(e.result.RetryAfter, want)
	}
	if got == "" {
		got = "none"
	}
	if got != want {
		return fmt.Errorf("%s=%.99s, want %.99s", name, got, want)
	}
	return nil
}

// within compares with one duration or with two of them, "5s..10s", both included.
func within(got time.Duration, want string) error {
	low, high, several := strings.Cut(want, "..")
	if !several {
		high = low
	}
	least, err := time.ParseDuration(low)
	if err != nil {
		return err
	}
	most, err := time.ParseDuration(high)
	if err != nil {
		return err
	}
	if got < least || got > most {
		return fmt.Errorf("retry_after=%s, want %s", got, want)
	}
	return nil
}
