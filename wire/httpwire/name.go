package httpwire

import (
	"net/http"
	"regexp"
	"strings"
)

var (
	uuid   = regexp.MustCompile(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	number = regexp.MustCompile(`^[0-9]+$`)
	// A long run of letters and digits is an id, such as 3MmlLrLkdIwHu7ix0snN0B15.
	digit  = regexp.MustCompile(`[0-9]`)
	longID = regexp.MustCompile(`^[0-9A-Za-z]{16,}$`)
	word   = regexp.MustCompile(`[0-9A-Za-z]+`)
)

// DefaultName is the method and the path. The query is left out, and what differs
// between two runs of the same job is masked: /orders/17 is /orders/{n}. A digit
// within a word stays, so /v1/charges is itself.
func DefaultName(r *http.Request, _ []byte) string {
	return r.Method + " " + mask(r.URL.EscapedPath())
}

func mask(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		ids := uuid.Split(part, -1)
		for j, rest := range ids {
			ids[j] = word.ReplaceAllStringFunc(rest, maskWord)
		}
		parts[i] = strings.Join(ids, "{uuid}")
	}
	return strings.Join(parts, "/")
}

func maskWord(w string) string {
	switch {
	case number.MatchString(w):
		return "{n}"
	case longID.MatchString(w) && digit.MatchString(w):
		return "{id}"
	}
	return w
}
