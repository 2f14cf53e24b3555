package job

import "slices"

// blankCodePoints are the code points that make a text blank when it has no
// others: Unicode's white space, the separators that Python also takes as
// space (U+001C to U+001F), and the invisible U+180E, U+200B to U+200D, U+2060
// and U+FEFF. The list is written out because the strip of Go, Ruby and Python
// disagree.
var blankCodePoints = []rune{
	0x0009, 0x000A, 0x000B, 0x000C, 0x000D, 0x001C, 0x001D, 0x001E, 0x001F,
	0x0020, 0x0085, 0x00A0, 0x1680, 0x180E, 0x2000, 0x2001, 0x2002, 0x2003,
	0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A, 0x200B, 0x200C,
	0x200D, 0x2028, 0x2029, 0x202F, 0x205F, 0x2060, 0x3000, 0xFEFF,
}

func isBlank(s string) bool {
	for _, r := range s {
		if _, found := slices.BinarySearch(blankCodePoints, r); !found {
			return false
		}
	}
	return true
}

// nothingWords are what languages write when they turn nothing into a text:
// Python, Ruby, JSON and SQL, JavaScript, Go. Twenty jobs that lack their order
// number would otherwise be one operation.
var nothingWords = []string{"None", "nil", "null", "undefined", "<nil>"}

func isNothingWord(s string) bool { return slices.Contains(nothingWords, s) }
