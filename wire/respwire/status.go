package respwire

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// hasMessage is the status of a poll that was answered with a message.
const hasMessage = "message"

// unanswered is the status of a step to which no reply comes.
const unanswered = "unanswered"

var code = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

// status is a reply without its values: "OK", "1", "nil", "value", "3 elements", "WRONGTYPE",
// and of a transaction those of its replies: "EXEC 1, 1".
func status(said Said) string {
	v := said.Reply
	if !said.Transaction || v.Kind != array {
		return short(v)
	}
	var all []string
	for _, e := range v.Elements[:min(len(v.Elements), 50)] {
		all = append(all, short(e))
	}
	if len(v.Elements) > 50 || v.Cut {
		all = append(all, "…")
	}
	return strings.TrimSpace("EXEC " + strings.Join(all, ", "))
}

func short(v Value) string {
	switch v.Kind {
	case simple, failure, blobError:
		first, _, _ := bytes.Cut(v.Text, []byte{' '})
		switch {
		case code.Match(first):
			return string(first)
		case v.IsError():
			return "ERR"
		}
		return "value"
	case integer, boolean:
		return string(v.Text)
	case null:
		return "nil"
	case array, set, push:
		return count(v, len(v.Elements))
	case mapping:
		return count(v, len(v.Elements)/2)
	}
	return "value"
}

func count(v Value, n int) string {
	if v.Cut {
		return fmt.Sprintf("more than %d elements", n)
	}
	return fmt.Sprintf("%d elements", n)
}
