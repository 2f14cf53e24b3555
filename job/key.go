package job

import (
	"strings"
	"unicode/utf8"
)

// MaxKeyBytes is the longest operation key. A longer one is refused: cut
// short, two operations could become one.
const MaxKeyBytes = 255

// KeyOf builds the operation key: the value at each path, % and / in it
// escaped as %25 and %2F, joined with /. Without the escaping ("a/b", "c") and
// ("a", "b/c") would be one operation.
//
// Bytes are identity: nothing is trimmed, folded or normalised. The integer 42
// and the string "42" are one key, because queues and languages change one
// into the other. Its error is a *KeyError.
func (o Operation) KeyOf(f Fields) (string, error) {
	if len(o.Key) == 0 {
		return "", &KeyError{Path: "", Why: WhyNoPath}
	}
	parts := make([]string, len(o.Key))
	for i, path := range o.Key {
		part, why := keyPart(f, path)
		if why != "" {
			return "", &KeyError{Path: path.String(), Why: why}
		}
		parts[i] = part
	}
	key := joinParts(parts)
	if len(key) > MaxKeyBytes {
		return "", &KeyError{Path: pathList(o.Key), Why: WhyTooLong}
	}
	return key, nil
}

var escapePart = strings.NewReplacer("%", "%25", "/", "%2F")

func joinParts(parts []string) string {
	escaped := make([]string, len(parts))
	for i, part := range parts {
		escaped[i] = escapePart.Replace(part)
	}
	return strings.Join(escaped, "/")
}

// keyPart is the text of one part, or why it can be none.
func keyPart(f Fields, p Path) (string, Why) {
	value, found := f.find(p)
	if !found {
		return "", WhyAbsent
	}
	s := scalarOf(value)
	switch s.kind {
	case kindString:
		return s.text, refusedText(s.text)
	case kindInteger:
		return s.text, ""
	case kindFloat:
		return "", WhyFloat
	case kindBoolean:
		return "", WhyBoolean
	case kindNull:
		return "", WhyNull
	case kindList:
		return "", WhyList
	case kindObject:
		return "", WhyObject
	}
	return "", WhyType
}

func refusedText(s string) Why {
	switch {
	case s == "":
		return WhyEmpty
	case !utf8.ValidString(s):
		return WhyNotUTF8
	case strings.ContainsRune(s, 0):
		return WhyNUL
	case isBlank(s):
		return WhyBlank
	case isNothingWord(s):
		return WhyWord
	}
	return ""
}

func pathList(paths []Path) string {
	texts := make([]string, len(paths))
	for i, p := range paths {
		texts[i] = p.String()
	}
	return strings.Join(texts, ",")
}
