package job

// Why is the reason for refusing a value. Its words are part of the golden
// files and the same in every language.
type Why string

// The reasons.
const (
	WhyNoPath   Why = "no_path"
	WhyAbsent   Why = "absent"
	WhyNull     Why = "null"
	WhyEmpty    Why = "empty"
	WhyBlank    Why = "blank"
	WhyWord     Why = "word"
	WhyFloat    Why = "float"
	WhyBoolean  Why = "boolean"
	WhyList     Why = "list"
	WhyObject   Why = "object"
	WhyType     Why = "type"
	WhyNotUTF8  Why = "not_utf8"
	WhyNUL      Why = "nul"
	WhyTooLong  Why = "too_long"
	WhyInfinite Why = "infinite"
)

var whyTexts = map[Why]string{
	WhyNoPath:   "no path is named",
	WhyAbsent:   "is absent from the message",
	WhyNull:     "is null",
	WhyEmpty:    "is an empty text",
	WhyBlank:    "holds nothing but blank characters",
	WhyWord:     "is a word for nothing, such as None or null",
	WhyFloat:    "is a float; send an integer or a text",
	WhyBoolean:  "is a boolean",
	WhyList:     "is a list; name one value in it",
	WhyObject:   "is an object; name one value in it",
	WhyType:     "has a type that JSON does not have",
	WhyNotUTF8:  "is not valid UTF-8",
	WhyNUL:      "holds a NUL character",
	WhyTooLong:  "makes a key of more than 255 bytes",
	WhyInfinite: "is a float that is not finite",
}

// KeyError says which part of an operation key was refused. It never holds the
// value, so it may be logged.
type KeyError struct {
	Path string // in canonical form; every path, joined with a comma, when the whole key is meant
	Why  Why
}

func (e *KeyError) Error() string { return "operation key: " + whyText(e.Path, e.Why) }

// FingerprintError says which field of a fingerprint was refused. It never
// holds the value, so it may be logged.
type FingerprintError struct {
	Path string
	Why  Why
}

func (e *FingerprintError) Error() string { return "fingerprint: " + whyText(e.Path, e.Why) }

func whyText(path string, why Why) string {
	if path == "" {
		return whyTexts[why]
	}
	return path + " " + whyTexts[why]
}
