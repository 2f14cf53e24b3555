package fit

import (
	"fmt"
	"strings"
)

// Template is an answers file with every question explained and none answered.
func Template() string {
	var b strings.Builder
	b.WriteString(`# Answers for twiceproof fit. Write each answer behind its colon, then:
#
#     twiceproof fit --answers this-file
#
# No code, data or credential is needed, and no value: where a field is asked for, its
# name is meant. What nothing hangs on after your answers may stay empty.
`)
	for _, q := range Questions() {
		fmt.Fprintf(&b, "\n# %s", q.Text)
		if q.Optional {
			b.WriteString(" (may stay empty)")
		}
		b.WriteString("\n" + wrapped(q.Why, "#   "))
		for _, o := range q.Options {
			fmt.Fprintf(&b, "#     %-18s %s\n", o.Value, o.Text)
		}
		fmt.Fprintf(&b, "%s:\n", q.ID)
	}
	return b.String()
}

// wrapped breaks a text into lines, each behind a prefix.
func wrapped(text, prefix string) string {
	var b strings.Builder
	at := ""
	for word := range strings.FieldsSeq(text) {
		if at != "" && len([]rune(prefix+at+" "+word)) > width {
			b.WriteString(prefix + at + "\n")
			at = ""
		}
		at = strings.TrimPrefix(at+" "+word, " ")
	}
	return b.String() + prefix + at + "\n"
}
