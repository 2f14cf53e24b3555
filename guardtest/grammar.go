package guardtest

import (
	"fmt"
	"slices"
	"strings"
)

// form is what the lines of one step may hold.
type form struct {
	words    string // those that may stand behind the step; "*" is any
	options  string
	outcomes string // the first word behind the arrow; "" means that there is no arrow
	flags    string
	wants    string // "*" is any
}

const (
	bodyWords = "acts refuses fails panics leaves pauses renews renew_refused commits rolls_back begins swallows"
	outcomes  = "completed live held mismatch released given_up lost error raised paused"
	delivered = "repeat acknowledge"
	about     = "completion value value_bytes retry_after"
)

// forms are all the steps there are. A word that is not here is a mistake in a
// scenario, never ignored.
var forms = map[string]form{
	"only":     {words: "postgres mysql sqlite"},
	"job":      {options: "effect policy lease settle max_takeovers max_lookups reference_window fingerprint store_message"},
	"deliver":  {words: "*", options: "order amount message message_bytes result result_bytes from", outcomes: outcomes, flags: delivered, wants: about},
	"wake":     {words: "*", options: "result result_bytes", outcomes: outcomes, flags: delivered, wants: about},
	"service":  {words: "truth found absent error panics pauses"},
	"age":      {words: "*", options: "order"},
	"left":     {words: "*", options: "order"},
	"lose":     {words: "*", options: "nth"},
	"refuse":   {words: "*", options: "nth"},
	"pause":    {words: "*", options: "nth"},
	"sweep":    {words: "apply queue_down", outcomes: "nothing done error", wants: "held assumed put_back waiting moved failed reason"},
	"resolve":  {words: "done drop run_again", options: "order by", outcomes: "resolved refused"},
	"record":   {options: "order", outcomes: "is none", wants: "*"},
	"effects":  {options: "order", outcomes: "*"},
	"look_ups": {outcomes: "*"},
	"queue":    {outcomes: "*"},
}

func (l line) check() error {
	f, ok := forms[l.step]
	if !ok {
		return fmt.Errorf("unknown step %s", l.step)
	}
	if l.expected != (f.outcomes != "") {
		return fmt.Errorf("%s: expectation missing or too much", l.step)
	}
	words := l.words
	if l.step == "deliver" || l.step == "wake" { // a worker's name first
		if len(words) == 0 {
			return fmt.Errorf("%s: no worker", l.step)
		}
		words, f.words = words[1:], bodyWords
	}
	return firstError(
		unknown("word", words, f.words), unknown("option", keys(l.options), f.options),
		unknown("outcome", []string{l.outcome}, f.outcomes), unknown("flag", l.flags, f.flags), unknown("expectation", keys(l.want), f.wants),
	)
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func unknown(what string, given []string, known string) error {
	for _, word := range given {
		if known != "*" && word != "" && !contains(strings.Fields(known), word) {
			return fmt.Errorf("unknown %s %s", what, word)
		}
	}
	return nil
}

func keys(m map[string]string) []string {
	var all []string
	for key := range m {
		all = append(all, key)
	}
	return all
}

func contains(list []string, word string) bool { return slices.Contains(list, word) }
