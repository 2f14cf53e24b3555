package wire

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"strconv"
	"strings"
)

// Mask stands in a step's text for what differs between two runs of the same job.
const Mask = "?"

// maxText bounds a step's text; what is cut off stays in it as a hash.
const maxText = 600

// Clip makes a step's text of what may be long, or no text at all.
func Clip(text string) string {
	text = strings.ToValidUTF8(text, Mask)
	if len(text) <= maxText {
		return text
	}
	h := fnv.New32a()
	h.Write([]byte(text))
	return fmt.Sprintf("%s… #%08x", strings.ToValidUTF8(text[:maxText], ""), h.Sum32())
}

// Join makes one text of several, and one of neighbours that are the same: "a (2 times); b".
func Join(all []string) string {
	var out []string
	for i := 0; i < len(all); {
		n := 1
		for i+n < len(all) && all[i+n] == all[i] {
			n++
		}
		if n == 1 {
			out = append(out, all[i])
		} else {
			out = append(out, fmt.Sprintf("%s (%d times)", all[i], n))
		}
		i += n
	}
	return strings.Join(out, "; ")
}

// Split is what Join has joined. Repeats stay folded into one, without their number.
func Split(text string) []string {
	all := strings.Split(text, "; ")
	for i, one := range all {
		all[i], _, _ = strings.Cut(one, " (")
	}
	return all
}

var (
	// A name that RabbitMQ makes, <host>:<pid>:<nonce>, a UUID, a day, a number with a
	// point, and a word.
	nameParts = regexp.MustCompile(`(?i)amq\.gen-[\w\-]+|[\w.\-]+:[0-9]+:[0-9a-f]{8,}` +
		`|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}` +
		`|[0-9]{4}-[0-9]{2}-[0-9]{2}` +
		`|[0-9]+\.[0-9]+` +
		`|[0-9a-z]+`)
	onlyDigits = regexp.MustCompile(`^[0-9]+$`)
	plainWord  = regexp.MustCompile(`^[0-9A-Za-z]+$`)
)

// longID is from when on a word with a digit in it is an id.
const longID = 16

// MaskName gives the name of a key or a queue in the form in which two runs of the same
// job agree. A digit within a word stays, and what cannot be printed is escaped.
func MaskName(name string) string {
	q := strconv.QuoteToASCII(name)
	return nameParts.ReplaceAllStringFunc(q[1:len(q)-1], func(part string) string {
		isID := len(part) >= longID && strings.ContainsAny(part, "0123456789")
		if plainWord.MatchString(part) && !isID && !onlyDigits.MatchString(part) {
			return part
		}
		return Mask
	})
}
