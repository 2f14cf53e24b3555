package repeats

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// AppendFold makes references that look the same one: it takes away what cannot be
// seen, and makes one of case, width, Unicode form and spaces.
func AppendFold(to []byte, reference string) []byte {
	start := len(to)
	for i := range len(reference) {
		c := reference[i]
		if c <= ' ' || c >= 0x7f {
			if !utf8.ValidString(reference) {
				return appendBytes(to[:start], reference)
			}
			return append(to[:start], fold(reference, -1)...)
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		to = append(to, c)
	}
	return to
}

// appendBytes keeps the bytes of what is no UTF-8: text of an older encoding has the case
// of its ASCII letters alone, and binary, such as a UUID of 16 bytes, has no look at all.
func appendBytes(to []byte, reference string) []byte {
	binary := strings.ContainsFunc(reference, func(c rune) bool { return c < ' ' })
	for i := range len(reference) {
		c := reference[i]
		if c >= 'A' && c <= 'Z' && !binary {
			c += 'a' - 'A'
		}
		to = append(to, c)
	}
	return to
}

// folding are the steps, in order. Each is a kind of difference.
var folding = []struct {
	kind string
	step func(string) string
}{
	{"invisible characters", dropInvisible},
	{"spaces", oneSpace},
	{"Unicode form", norm.NFC.String},
	{"width or compatibility form", compatible},
	{"letters of another script", latin.Replace},
	{"case", strings.ToLower},
}

// latin takes Greek and Cyrillic letters for those that they look like.
var latin = strings.NewReplacer(
	"Α", "A", "Β", "B", "Ε", "E", "Ζ", "Z", "Η", "H", "Ι", "I", "Κ", "K", "Μ", "M", "Ν", "N", "Ο", "O", "Ρ", "P", "Τ", "T", "Υ", "Y", "Χ", "X", "ο", "o", "ν", "v",
	"А", "A", "В", "B", "Е", "E", "Ѕ", "S", "І", "I", "Ј", "J", "К", "K", "М", "M", "Н", "H", "О", "O", "Р", "P", "С", "C", "Т", "T", "У", "Y", "Х", "X",
	"а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "у", "y", "х", "x", "ѕ", "s", "і", "i", "ј", "j", "һ", "h", "ԁ", "d", "ԛ", "q", "ԝ", "w",
)

func fold(s string, without int) string {
	for i, f := range folding {
		if i != without {
			s = f.step(s)
		}
	}
	return s
}

func compatible(s string) string { return norm.NFC.String(norm.NFKC.String(s)) }

func dropInvisible(s string) string {
	return strings.Map(func(r rune) rune {
		if invisible(r) {
			return -1
		}
		return r
	}, s)
}

func invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || r == 0x034f || r == 0x115f || r == 0x1160 || r == 0x3164 ||
		unicode.IsControl(r) && !unicode.IsSpace(r)
}

func oneSpace(s string) string { return strings.Join(strings.FieldsFunc(s, unicode.IsSpace), " ") }

// Kinds are the ways in which two look-alike references differ.
func Kinds(a, b string) (kinds []string) {
	for i, f := range folding {
		if fold(a, i) != fold(b, i) {
			kinds = append(kinds, f.kind)
		}
	}
	if kinds == nil && a != b { // two steps that each make them alike
		kinds = append(kinds, "Unicode form")
	}
	return kinds
}

// CodePoints writes what differs between two references, each as its code points. Upper
// and lower case is no matter of code points to anybody.
func CodePoints(a, b string) (onlyA, onlyB string) {
	if slices.Contains(Kinds(a, b), "case") {
		a, b = strings.ToLower(a), strings.ToLower(b)
		if a == b {
			return "upper case", "lower case"
		}
	}
	x, y := []rune(a), []rune(b)
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	return codePoints(x), codePoints(y)
}

func codePoints(runes []rune) string {
	if len(runes) == 0 {
		return "nothing"
	}
	var list []string
	for _, r := range runes {
		list = append(list, fmt.Sprintf("U+%04X", r))
	}
	return strings.Join(list, " ")
}

// Alikes are the references that look alike, added up.
type Alikes struct {
	Families int // groups of references that look the same
	Kinds    map[string]int
	Examples []AlikePair
	Limit    int
}

// AlikePair is two references that look the same.
type AlikePair struct{ A, B string }

// Add sees the different references of one folded form.
func (l *Alikes) Add(references []string) {
	if len(references) < 2 {
		return
	}
	if l.Kinds == nil {
		l.Kinds = map[string]int{}
	}
	l.Families++
	slices.Sort(references)
	for _, other := range references[1:] {
		for _, kind := range Kinds(references[0], other) {
			l.Kinds[kind]++
		}
	}
	pair := AlikePair{references[0], references[1]}
	i, _ := slices.BinarySearchFunc(l.Examples, pair, func(a, b AlikePair) int { return compare(a.A, b.A) })
	l.Examples = slices.Insert(l.Examples, i, pair)
	l.Examples = l.Examples[:min(len(l.Examples), l.Limit)]
}

func compare(a, b string) int { return strings.Compare(a, b) }
func digits(n int) string     { return strconv.Itoa(n) }
