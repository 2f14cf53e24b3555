package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// goldenKey is one line of keys.json: a message, and the key or the refusal.
type goldenKey struct {
	Name   string          `json:"name"`
	Key    []string        `json:"key"`
	Fields json.RawMessage `json:"fields"`
	Want   string          `json:"want,omitempty"`
	Why    Why             `json:"refused,omitempty"`
	Path   string          `json:"refused_path,omitempty"`
}

// oneKeyValues are JSON values that stand alone in a key.
var oneKeyValues = []struct{ name, value string }{
	{"integer", `42`},
	{"the same digits as text", `"42"`},
	{"text with leading zeros", `"0042"`},
	{"zero", `0`},
	{"minus zero", `-0`},
	{"negative", `-42`},
	{"past 53 bits", `9007199254740993`},
	{"largest signed 64 bits", `9223372036854775807`},
	{"smallest signed 64 bits", `-9223372036854775808`},
	{"largest unsigned 64 bits", `18446744073709551615`},
	{"more than 64 bits", `123456789012345678901234567890`},
	{"float in text", `"42.0"`},
	{"lower and upper case", `"aB"`},
	{"upper and lower case", `"Ab"`},
	{"no trailing space", `"A"`},
	{"trailing space", `"A "`},
	{"trailing tab", `"A\t"`},
	{"trailing no-break space", `"A\u00a0"`},
	{"leading space", `" A"`},
	{"composed", `"caf\u00e9"`},
	{"decomposed", `"cafe\u0301"`},
	{"sharp s", `"\u00df"`},
	{"ss", `"ss"`},
	{"dotless i", `"\u0131"`},
	{"full width", `"\uff11"`},
	{"beyond the basic plane", `"\ud83d\ude00"`},
	{"zero width joiner within", `"a\u200db"`},
	{"newline within", `"a\nb"`},
	{"backslash and quote", `"a\\b\"c"`},
	{"slash", `"a/b"`},
	{"percent", `"100%"`},
	{"escaped slash as text", `"a%2Fb"`},
	{"lower case words", `"none"`},
	{"word with more", `"null-1"`},
	{"word with a space", `"nil "`},
	{"control character", `"\u0001"`},
	{"absent", ``},
	{"null", `null`},
	{"empty", `""`},
	{"space", `" "`},
	{"spaces", `"  \t\r\n"`},
	{"no-break space", `"\u00a0"`},
	{"ideographic space", `"\u3000"`},
	{"zero width space", `"\u200b"`},
	{"byte order mark", `"\ufeff"`},
	{"next line", `"\u0085"`},
	{"unit separator", `"\u001f"`},
	{"None", `"None"`},
	{"nil", `"nil"`},
	{"null as text", `"null"`},
	{"undefined", `"undefined"`},
	{"Go's nil", `"<nil>"`},
	{"float", `4.2`},
	{"whole float", `42.0`},
	{"exponent", `1e2`},
	{"minus zero float", `-0.0`},
	{"true", `true`},
	{"false", `false`},
	{"empty list", `[]`},
	{"list", `[42]`},
	{"empty object", `{}`},
	{"object", `{"a": null}`},
	{"NUL", `"a\u0000b"`},
	{"length 1", `"x"`},
	{"length 255", `"` + strings.Repeat("x", 255) + `"`},
	{"length 256", `"` + strings.Repeat("x", 256) + `"`},
	{"255 bytes in 85 characters", `"` + strings.Repeat(`\u20ac`, 85) + `"`},
	{"258 bytes in 86 characters", `"` + strings.Repeat(`\u20ac`, 86) + `"`},
	{"256 bytes once escaped", `"` + strings.Repeat("x", 253) + `/"`},
	{"255 bytes once escaped", `"` + strings.Repeat("x", 252) + `/"`},
	{"integer of 255 digits", strings.Repeat("1", 255)},
	{"integer of 256 digits", strings.Repeat("1", 256)},
}

var wholeMessages = []goldenKey{
	{Name: "slash in the first", Key: []string{"args[0]", "args[1]"}, Fields: raw(`{"args": ["a/b", "c"]}`)},
	{Name: "slash in the second", Key: []string{"args[0]", "args[1]"}, Fields: raw(`{"args": ["a", "b/c"]}`)},
	{Name: "percent before slash", Key: []string{"args[0]", "args[1]"}, Fields: raw(`{"args": ["a%", "2Fb"]}`)},
	{Name: "order of the paths", Key: []string{"args[1]", "args[0]"}, Fields: raw(`{"args": ["a", "b"]}`)},
	{Name: "two tenants", Key: []string{"kwargs.tenant", "kwargs.order_id"}, Fields: raw(`{"kwargs": {"order_id": 42, "tenant": "t1"}}`)},
	{Name: "one part null", Key: []string{"kwargs.tenant", "kwargs.order_id"}, Fields: raw(`{"kwargs": {"order_id": 42, "tenant": null}}`)},
	{Name: "every part null", Key: []string{"kwargs.tenant", "kwargs.order_id"}, Fields: raw(`{"kwargs": {"order_id": null, "tenant": null}}`)},
	{Name: "too long together", Key: []string{"args[0]", "args[1]"}, Fields: raw(`{"args": ["` + strings.Repeat("a", 128) + `", "` + strings.Repeat("b", 127) + `"]}`)},
	{Name: "object in a list", Key: []string{"args[0].id"}, Fields: raw(`{"args": [{"id": 7}]}`)},
	{Name: "index out of range", Key: []string{"args[1]"}, Fields: raw(`{"args": [7]}`)},
	{Name: "no such root", Key: []string{"kwargs.id"}, Fields: raw(`{"args": [7]}`)},
	{Name: "name in a list", Key: []string{"body.id"}, Fields: raw(`{"body": [7]}`)},
	{Name: "name in a text", Key: []string{"body.id"}, Fields: raw(`{"body": "id"}`)},
	{Name: "name in null", Key: []string{"body.order.id"}, Fields: raw(`{"body": {"order": null}}`)},
	{Name: "place in an object", Key: []string{"body[0]"}, Fields: raw(`{"body": {"0": 7}}`)},
	{Name: "digits as a name", Key: []string{"body.0"}, Fields: raw(`{"body": {"0": 7}}`)},
	{Name: "quoted name", Key: []string{`body["order id"]`}, Fields: raw(`{"body": {"order id": 7}}`)},
	{Name: "empty name", Key: []string{`body[""]`}, Fields: raw(`{"body": {"": 7}}`)},
	{Name: "plain body", Key: []string{"body"}, Fields: raw(`{"body": "ORD-42", "attributes": {}}`)},
	{Name: "attribute with a dot", Key: []string{`attributes["tenant.id"]`}, Fields: raw(`{"body": {}, "attributes": {"tenant.id": "t1"}}`)},
	{Name: "beside the arguments", Key: []string{"job.tenant", "args[0]"}, Fields: raw(`{"args": [7], "job": {"args": [7], "tenant": "t1"}}`)},
	{Name: "nothing beside the arguments", Key: []string{"job.tenant", "args[0]"}, Fields: raw(`{"args": [7]}`)},
	{Name: "a header", Key: []string{"headers.tenant", "kwargs.order_id"}, Fields: raw(`{"args": [], "kwargs": {"order_id": 7}, "headers": {"tenant": "t1"}}`)},
	{Name: "no such header", Key: []string{"headers.tenant", "kwargs.order_id"}, Fields: raw(`{"args": [], "kwargs": {"order_id": 7, "tenant": "t1"}, "headers": {}}`)},
	{Name: "no path", Key: []string{}, Fields: raw(`{"args": [7]}`)},
}

func raw(text string) json.RawMessage { return json.RawMessage(text) }

func TestKeyGolden(t *testing.T) {
	cases := []goldenKey{}
	for _, v := range oneKeyValues {
		fields := raw(`{"kwargs": {"order_id": ` + v.value + `}}`)
		if v.value == "" {
			fields = raw(`{"kwargs": {"other": 42}}`)
		}
		cases = append(cases, goldenKey{Name: v.name, Key: []string{"kwargs.order_id"}, Fields: fields})
	}
	cases = append(cases, wholeMessages...)
	for i := range cases {
		cases[i].fill(t)
	}
	checkGolden(t, "keys.json", listOf(t, "blank_code_points", blankCodePoints),
		listOf(t, "nothing_words", nothingWords), listOf(t, "cases", cases))
}

func (g *goldenKey) fill(t *testing.T) {
	key, err := Operation{Key: pathsOf(g.Key...)}.KeyOf(fieldsOf(t, string(g.Fields)))
	var refused *KeyError
	if errors.As(err, &refused) {
		g.Why, g.Path = refused.Why, refused.Path
	}
	g.Want = key
}

// The golden file shows every key; these are the rules that it must obey.
func TestKeyRules(t *testing.T) {
	for _, c := range []struct{ a, b string }{
		{`"a/b", "c"`, `"a", "b/c"`}, {`"aB", 1`, `"Ab", 1`}, {`"A", 1`, `"A ", 1`},
		{`"\u00e9", 1`, `"e\u0301", 1`}, {`"a%2Fb", 1`, `"a/b", 1`}, {`9007199254740993, 1`, `9007199254740992, 1`},
	} {
		if keyOfArgs(t, c.a) == keyOfArgs(t, c.b) {
			t.Errorf("(%s) and (%s) are one key", c.a, c.b)
		}
	}
	for _, c := range []struct{ a, b string }{{`42, 1`, `"42", "1"`}, {`-0, 1`, `0, 1`}, {`"\u0061", 1`, `"a", 1`}} {
		if keyOfArgs(t, c.a) != keyOfArgs(t, c.b) {
			t.Errorf("(%s) and (%s) are two keys", c.a, c.b)
		}
	}
}

func keyOfArgs(t *testing.T, args string) string {
	t.Helper()
	key, err := Operation{Key: pathsOf("args[0]", "args[1]")}.KeyOf(fieldsOf(t, `{"args": [`+args+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Twenty jobs without a key must never become one operation.
func TestKeyRefusesEveryNothing(t *testing.T) {
	for _, nothing := range []string{`null`, `""`, `"  "`, `[]`, `{}`, `{"a":null}`, `"None"`, `"nil"`, `"undefined"`, `"<nil>"`, `"\u200b\ufeff"`} {
		for _, args := range []string{nothing + `, "x"`, `"x", ` + nothing} {
			if key, err := (Operation{Key: pathsOf("args[0]", "args[1]")}).KeyOf(fieldsOf(t, `{"args": [`+args+`]}`)); err == nil {
				t.Errorf("(%s) gave the key %q", args, key)
			}
		}
	}
}

func TestKeyOfValuesMadeInGo(t *testing.T) {
	for value, want := range map[any]string{42: "42", int64(-7): "-7", "x": "x", json.Number("-0"): "0"} {
		key, err := Operation{Key: pathsOf("body")}.KeyOf(Fields{"body": value})
		if err != nil || key != want {
			t.Errorf("%T: key %q, error %v, want %q", value, key, err, want)
		}
	}
	for value, why := range map[any]Why{1.0: WhyFloat, uint8(1): WhyType, "\xff": WhyNotUTF8, json.Number("007"): WhyFloat, json.Number("x"): WhyFloat} {
		_, err := Operation{Key: pathsOf("body")}.KeyOf(Fields{"body": value})
		sameError(t, err, &KeyError{Path: "body", Why: why})
	}
}

func TestKeyErrorNeverHoldsTheValue(t *testing.T) {
	secret := strings.Repeat("secret", 50)
	_, err := Operation{Key: pathsOf("body")}.KeyOf(Fields{"body": secret})
	if got, want := fmt.Sprint(err), "operation key: body makes a key of more than 255 bytes"; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
}

func TestEveryReasonHasAText(t *testing.T) {
	for _, why := range []Why{WhyNoPath, WhyAbsent, WhyNull, WhyEmpty, WhyBlank, WhyWord, WhyFloat, WhyBoolean, WhyList,
		WhyObject, WhyType, WhyNotUTF8, WhyNUL, WhyTooLong, WhyInfinite} {
		if whyTexts[why] == "" {
			t.Errorf("%s has no text", why)
		}
	}
}

// FuzzKey: joining is injective, so different parts never become one key.
func FuzzKey(f *testing.F) {
	f.Add("a/b", "c", "a", "b/c")
	f.Add("a%", "2Fb", "a%2Fb", "")
	f.Add("%", "/", "/", "%")
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		left, right := []string{a, b}, []string{c, d}
		if (joinParts(left) == joinParts(right)) != (a == c && b == d) {
			t.Errorf("%q and %q", left, right)
		}
		parts := strings.Split(joinParts(left), "/")
		unescape := strings.NewReplacer("%2F", "/", "%25", "%")
		if len(parts) != 2 || unescape.Replace(parts[0]) != a || unescape.Replace(parts[1]) != b {
			t.Errorf("%q does not come back from %q", left, joinParts(left))
		}
	})
}
