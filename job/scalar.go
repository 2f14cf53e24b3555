package job

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// kind is the type of a value in a message. Its byte tags the value in a
// fingerprint, so it must never change.
type kind byte

const (
	kindString  kind = 's'
	kindInteger kind = 'i'
	kindFloat   kind = 'f'
	kindBoolean kind = 'b'
	kindNull    kind = 'n'
	kindList    kind = 'l'
	kindObject  kind = 'o'
	kindOther   kind = '?' // no type that JSON has
)

// scalar is a value with its type; only the member of its kind is set.
type scalar struct {
	kind    kind
	text    string // of a string; of an integer its canonical digits
	float   float64
	boolean bool
}

func scalarOf(v any) scalar {
	switch v := v.(type) {
	case nil:
		return scalar{kind: kindNull}
	case string:
		return scalar{kind: kindString, text: v}
	case bool:
		return scalar{kind: kindBoolean, boolean: v}
	case json.Number:
		return numberOf(string(v))
	case int:
		return scalar{kind: kindInteger, text: strconv.Itoa(v)}
	case int64:
		return scalar{kind: kindInteger, text: strconv.FormatInt(v, 10)}
	case float64:
		return scalar{kind: kindFloat, float: v}
	case []any:
		return scalar{kind: kindList}
	case map[string]any:
		return scalar{kind: kindObject}
	}
	return scalar{kind: kindOther}
}

// numberOf tells an integer from a float by how it is written, as Ruby and
// Python do: 42 is an integer, 42.0 and 1e2 are floats. An integer keeps every
// digit, however long it is.
func numberOf(text string) scalar {
	if digits, ok := integerDigits(text); ok {
		return scalar{kind: kindInteger, text: digits}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		f = math.Inf(1)
	}
	return scalar{kind: kindFloat, float: f}
}

// integerDigits gives the canonical digits of a JSON integer; -0 is 0.
func integerDigits(text string) (string, bool) {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || len(digits) > 1 && digits[0] == '0' {
		return "", false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return "", false
		}
	}
	if digits == "0" {
		return digits, true
	}
	return text, true
}
