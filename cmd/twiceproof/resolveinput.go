package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/twiceproof/twiceproof/admin"
	"github.com/twiceproof/twiceproof/internal/hinted"
)

// hold is one operation to decide on, as it was named.
type hold struct {
	job, key string
	at       time.Time // zero: not said
	until    time.Time // listed then; zero: not said
}

// holds are those of the command line, or of stdin.
func (f resolveFlags) holds(args []string) ([]hold, error) {
	at, err := holdTime("--held-at", f.heldAt)
	if err != nil {
		return nil, err
	}
	until, err := holdTime("--held-until", f.heldUntil)
	if err != nil {
		return nil, err
	}
	switch {
	case f.stdin && (len(args) > 0 || f.heldAt != ""):
		return nil, &hinted.Error{What: "--stdin goes with neither a key nor --held-at", Hint: "each line says its own"}
	case f.stdin:
		return f.readHolds(until)
	case len(args) == 0:
		return nil, &hinted.Error{What: "no operation is named", Hint: "give its key, as twiceproof held shows it, or --stdin"}
	case !until.IsZero():
		return nil, &hinted.Error{What: "--held-until is for --stdin", Hint: "give --held-at, as twiceproof held prints it"}
	case at.IsZero() && f.apply:
		return nil, &hinted.Error{What: "it is not said which hold you saw", Hint: "give --held-at, as twiceproof held prints it, and this command without --apply"}
	}
	return []hold{{job: f.job, key: args[0], at: at}}, nil
}

// holdTime takes the times of holds, which have at most microseconds.
func holdTime(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || t.IsZero() || !t.Equal(t.Truncate(time.Microsecond)) {
		return time.Time{}, &hinted.Error{What: fmt.Sprintf("%s is no time of a hold: %q", flag, text), Hint: "write it as twiceproof held prints it, such as 2026-03-04T05:06:07.123456Z"}
	}
	return t.UTC(), nil
}

// longestLine is more than any key with its job and time.
const longestLine = 64 << 10

func (f resolveFlags) readHolds(until time.Time) (all []hold, err error) {
	lines := bufio.NewScanner(f.std.in)
	lines.Buffer(nil, longestLine)
	for n := 1; lines.Scan(); n++ {
		if lines.Text() == "" {
			continue
		}
		h, err := f.holdOf(lines.Text(), until)
		if err != nil {
			return nil, &hinted.Error{What: fmt.Sprintf("line %d %s", n, err), Hint: "hand the lines on as twiceproof held --lines prints them"}
		}
		if h.at.IsZero() && h.until.IsZero() && f.apply {
			return nil, &hinted.Error{What: fmt.Sprintf("line %d does not say which hold you saw", n), Hint: "twiceproof held --lines prints such lines; for keys alone give --held-until, the time at which you listed them"}
		}
		all = append(all, h)
	}
	if err := lines.Err(); err != nil {
		return nil, &hinted.Error{What: "the lines cannot be read: " + err.Error(), Hint: "one operation a line"}
	}
	if len(all) == 0 {
		return nil, &hinted.Error{What: "there is no operation on stdin", Hint: "one a line, as twiceproof held --lines prints them"}
	}
	return all, nil
}

// holdOf reads a line of held --lines; any other one is a key.
func (f resolveFlags) holdOf(line string, until time.Time) (h hold, err error) {
	parts := strings.SplitN(line, "\t", 3)
	if len(parts) < 3 {
		return hold{job: f.job, key: line, until: until}, nil
	}
	if h.at, err = time.Parse(admin.HeldAtLayout, parts[0]); err != nil {
		return hold{job: f.job, key: line, until: until}, nil //nolint:nilerr // a key may hold tabs
	}
	var odd [2]error
	h.job, odd[0] = fromLineWord(parts[1])
	h.key, odd[1] = fromLineWord(parts[2])
	switch {
	case errors.Join(odd[:]...) != nil:
		return h, errors.New("has a quote that does not end as it began")
	case f.job != "" && h.job != f.job:
		return h, errors.New("is of another job than --job")
	}
	return h, nil
}

// decision checks what was typed.
func (f resolveFlags) decision() (do admin.Decision, err error) {
	n := 0
	for decision, given := range map[admin.Decision]bool{admin.Done: f.done, admin.Drop: f.drop, admin.RunAgain: f.runAgain} {
		if given {
			do = decision
			n++
		}
	}
	switch why := strings.TrimSpace(f.why); {
	case n != 1:
		return "", &hinted.Error{What: "one decision is needed", Hint: "give --done, --drop or --run-again"}
	case why == "" || why == whyUnsaid:
		return "", &hinted.Error{What: "no reason is given", Hint: `give --why "…": it is kept in the record, for whoever asks later`}
	}
	return do, cmp.Or(keepable("--why", f.why, longestWhy), keepable("--by", f.by, longestBy))
}

// What every database's column takes: TEXT, and 255 characters.
const (
	longestWhy = 8000
	longestBy  = 255
)

// keepable: what does not fit would be refused after it was shown, or be cut.
func keepable(flag, text string, most int) error {
	switch {
	case !utf8.ValidString(text):
		return &hinted.Error{What: flag + " is no UTF-8", Hint: "set the terminal to UTF-8, or write it in plain ASCII"}
	case utf8.RuneCountInString(text) > most:
		return &hinted.Error{What: fmt.Sprintf("%s is longer than the %d characters that are kept", flag, most), Hint: "say it shorter, such as by a ticket's number"}
	}
	return nil
}

func userAtHost() string {
	name, host := "unknown", "unknown"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if h, err := os.Hostname(); err == nil {
		host = h
	}
	return name + "@" + host
}
