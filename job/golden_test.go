package job

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/internal/golden"
)

// With -update the golden files are written anew. They are what Ruby and
// Python are checked against: a changed line is a changed key in every
// database that holds records. Read the diff.
// checkGolden compares the file with one JSON object that has the named lists,
// one item a line.
func checkGolden(t *testing.T, file string, lists ...goldenList) {
	t.Helper()
	texts := make([]string, len(lists))
	for i, list := range lists {
		texts[i] = fmt.Sprintf(" %q: [\n  %s\n ]", list.name, strings.Join(list.items, ",\n  "))
	}
	text := "{\n" + strings.Join(texts, ",\n") + "\n}\n"
	golden.Check(t, filepath.Join("testdata", file), []byte(text))
}

type goldenList struct {
	name  string
	items []string
}

func listOf[T any](t *testing.T, name string, values []T) goldenList {
	t.Helper()
	list := goldenList{name: name}
	for _, v := range values {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
		list.items = append(list.items, asciiJSON(strings.TrimSpace(b.String())))
	}
	return list
}

// asciiJSON escapes what the eye cannot tell apart, such as two Unicode forms.
func asciiJSON(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < 0x7f:
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// fieldsOf reads fields as a message has them.
func fieldsOf(t testing.TB, text string) Fields {
	t.Helper()
	decoded, err := DecodeJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return Fields(decoded.(map[string]any))
}

func pathsOf(texts ...string) []Path {
	paths := make([]Path, len(texts))
	for i, text := range texts {
		paths[i] = MustParsePath(text)
	}
	return paths
}

func sameError[E interface {
	error
	comparable
}](t *testing.T, got error, want E) {
	t.Helper()
	if got == nil || got.Error() != want.Error() {
		t.Errorf("error = %v, want %v", got, want)
	}
}
