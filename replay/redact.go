package replay

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// secrets are the values that must not stand in what is kept of a replay: those of
// variables with a secret's name, and the passwords in addresses.
type secrets struct{ values []string }

const hidden = "***"

// mayBeSecret: MAX_TOKENS=4096 and USE_TOKEN=true are none, and hiding them would
// spoil every number and word that they are a part of.
func mayBeSecret(value string) bool {
	_, err := strconv.ParseBool(value)
	return err != nil && len(value) >= 4 && !smallNumber.MatchString(value)
}

var (
	smallNumber = regexp.MustCompile(`^[0-9.]{1,7}$`)
	secretName  = regexp.MustCompile(`(?i)KEY|TOKEN|SECRET|PASSW|PASSPHRASE`)
	// scheme://user:password@host; a password may have an @ in it, so the last one counts.
	passwordInURL = regexp.MustCompile(`(://[^\s:/?#@"']*):([^\s/?#"']+)@`)
	// password=… of a connection string
	passwordInPair = regexp.MustCompile(`(?i)(passw(?:or)?d=)("[^"]*"|'[^']*'|[^\s&;,"']+)`)
)

func newSecrets(environ []string, set map[string]string) secrets {
	found := map[string]bool{}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		collect(found, name, value)
	}
	for name, value := range set {
		collect(found, name, value)
	}
	// The longest first: one secret may be the beginning of another.
	values := slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	return secrets{values}
}

func collect(found map[string]bool, name, value string) {
	if secretName.MatchString(name) {
		addSecret(found, value)
	}
	for _, m := range passwordInURL.FindAllStringSubmatch(value, -1) {
		addSecret(found, m[2])
		if plain, err := url.PathUnescape(m[2]); err == nil {
			addSecret(found, plain)
		}
	}
	for _, m := range passwordInPair.FindAllStringSubmatch(value, -1) {
		addSecret(found, strings.Trim(m[2], `"'`))
	}
}

// addSecret adds a value in the forms in which a program prints it. A key of several
// lines is printed line by line.
func addSecret(found map[string]bool, value string) {
	lines := strings.Split(strings.TrimSpace(value), "\n")
	for _, v := range append(lines, strings.TrimSpace(value)) {
		inJSON, _ := json.Marshal(v) // a string always can be
		for _, form := range []string{v, url.QueryEscape(v), url.PathEscape(v), strings.Trim(string(inJSON), `"`)} {
			if mayBeSecret(form) {
				found[form] = true
			}
		}
	}
}

// hide replaces every secret in a text.
func (s secrets) hide(text string) string {
	for _, value := range s.values {
		text = strings.ReplaceAll(text, value, hidden)
	}
	text = passwordInURL.ReplaceAllString(text, "${1}:"+hidden+"@")
	return passwordInPair.ReplaceAllString(text, "${1}"+hidden)
}

// hideIn replaces them in what others said: steps and details. The rest of an event
// is the replay's own words.
func (s secrets) hideIn(events []judge.Event) []judge.Event {
	for i := range events {
		events[i].Step, events[i].Detail = s.hide(events[i].Step), s.hide(events[i].Detail)
	}
	return events
}

// hideInProblem: what a build or a worker printed is shown, and a runner's log is kept.
func (s secrets) hideInProblem(err error) {
	var p *hinted.Error
	if errors.As(err, &p) {
		p.What, p.Output = s.hide(p.What), s.hide(p.Output)
	}
}
