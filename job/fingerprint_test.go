package job

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"testing"
)

// goldenFingerprint is one line of fingerprints.json.
type goldenFingerprint struct {
	Name   string          `json:"name"`
	Of     []string        `json:"fingerprint"`
	Fields json.RawMessage `json:"fields"`
	List   string          `json:"want_fields,omitempty"`
	Sum    string          `json:"want_sum,omitempty"`
	Why    Why             `json:"refused,omitempty"`
	Path   string          `json:"refused_path,omitempty"`
}

var fingerprintValues = []struct{ name, value string }{
	{"integer", `1`}, {"float", `1.0`}, {"text", `"1"`}, {"true", `true`}, {"false", `false`}, {"null", `null`}, {"absent", ``},
	{"zero", `0`}, {"minus zero", `-0`}, {"float zero", `0.0`}, {"minus float zero", `-0.0`}, {"negative", `-1250`},
	{"largest 64 bits", `9223372036854775807`}, {"more than 64 bits", `123456789012345678901234567890`},
	{"a tenth", `0.1`}, {"exponent", `1e2`}, {"the same exponent", `100.0`}, {"capital exponent", `1E2`}, {"smallest float", `5e-324`},
	{"too small for a float", `1e-400`}, {"largest float", `1.7976931348623157e308`}, {"halfway", `9007199254740993.0`}, {"too large for a float", `1e400`},
	{"empty text", `""`}, {"text with NUL", `"a\u0000b"`}, {"composed", `"\u00e9"`}, {"decomposed", `"e\u0301"`}, {"escaped ASCII", `"\u0041"`}, {"plain ASCII", `"A"`},
	{"beyond the basic plane", `"\ud83d\ude00"`}, {"None as text", `"None"`}, {"list", `[1]`}, {"empty list", `[]`}, {"object", `{"a": 1}`}, {"empty object", `{}`},
}

var fingerprintMessages = []goldenFingerprint{
	{Name: "two fields", Of: []string{"kwargs.amount_cents", "kwargs.currency"}, Fields: raw(`{"kwargs": {"amount_cents": 1250, "currency": "EUR"}}`)},
	{Name: "listed the other way round", Of: []string{"kwargs.currency", "kwargs.amount_cents"}, Fields: raw(`{"kwargs": {"amount_cents": 1250, "currency": "EUR"}}`)},
	{Name: "message the other way round", Of: []string{"kwargs.amount_cents", "kwargs.currency"}, Fields: raw(`{"kwargs":{"currency":"EUR","amount_cents":1250}}`)},
	{Name: "another field changed", Of: []string{"kwargs.amount_cents", "kwargs.currency"}, Fields: raw(`{"kwargs": {"amount_cents": 1250, "currency": "EUR", "sent_at": 7}}`)},
	{Name: "another amount", Of: []string{"kwargs.amount_cents", "kwargs.currency"}, Fields: raw(`{"kwargs": {"amount_cents": 1200, "currency": "EUR"}}`)},
	{Name: "no shift between fields", Of: []string{"args[0]", "args[1]"}, Fields: raw(`{"args": ["ab", "c"]}`)},
	{Name: "no shift between fields either", Of: []string{"args[0]", "args[1]"}, Fields: raw(`{"args": ["a", "bc"]}`)},
	{Name: "sorted by bytes", Of: []string{"args[10]", "args[2]", "kwargs[\"\u00e9\"]", "kwargs.a", "kwargs.B"}, Fields: raw(`{"args": [0], "kwargs": {"a": 1, "B": 2}}`)},
	{Name: "nothing named", Of: []string{}, Fields: raw(`{"args": [1]}`)},
}

func TestFingerprintGolden(t *testing.T) {
	cases := []goldenFingerprint{}
	for _, v := range fingerprintValues {
		fields := raw(`{"body": {"value": ` + v.value + `}}`)
		if v.value == "" {
			fields = raw(`{"body": {}}`)
		}
		cases = append(cases, goldenFingerprint{Name: v.name, Of: []string{"body.value"}, Fields: fields})
	}
	cases = append(cases, fingerprintMessages...)
	for i := range cases {
		cases[i].fill(t)
	}
	checkGolden(t, "fingerprints.json", listOf(t, "cases", cases))
}

func (g *goldenFingerprint) fill(t *testing.T) {
	f, err := Operation{Fingerprint: pathsOf(g.Of...)}.FingerprintOf(fieldsOf(t, string(g.Fields)))
	var refused *FingerprintError
	if errors.As(err, &refused) {
		g.Why, g.Path = refused.Why, refused.Path
	}
	g.List, g.Sum = f.Fields, hex.EncodeToString(f.Sum)
}

func fingerprintOfValue(t *testing.T, value string) Fingerprint {
	t.Helper()
	f, err := Operation{Fingerprint: pathsOf("body.value")}.FingerprintOf(fieldsOf(t, `{"body": {"value": `+value+`}}`))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFingerprintTypes(t *testing.T) {
	values := []string{`1`, `1.0`, `"1"`, `true`, `null`, `""`, `0`, `0.0`, `false`, `"null"`, `"\u00e9"`, `"e\u0301"`}
	for i, a := range values {
		for j, b := range values {
			if got := fingerprintOfValue(t, a).Differs(fingerprintOfValue(t, b)); got != (i != j) {
				t.Errorf("%s and %s: differs = %v", a, b, got)
			}
		}
	}
	for _, same := range [][2]string{{`-0`, `0`}, {`-0.0`, `0.0`}, {`1e2`, `100.0`}, {`"\u0041"`, `"A"`}} {
		if fingerprintOfValue(t, same[0]).Differs(fingerprintOfValue(t, same[1])) {
			t.Errorf("%s and %s differ", same[0], same[1])
		}
	}
}

func TestDiffersOnlyOverTheSameFields(t *testing.T) {
	a := Fingerprint{Sum: []byte{1}, Fields: "body.a"}
	for _, b := range []Fingerprint{a, {}, {Fields: "body.a"}, {Sum: []byte{2}, Fields: "body.a,body.b"}} {
		if a.Differs(b) || b.Differs(a) {
			t.Errorf("%v differs", b)
		}
	}
	if !a.Differs(Fingerprint{Sum: []byte{2}, Fields: "body.a"}) {
		t.Error("another sum of the same fields does not differ")
	}
}

func TestFingerprintRefusesInGo(t *testing.T) {
	for value, why := range map[any]Why{math.Inf(1): WhyInfinite, uint8(1): WhyType, "\xff": WhyNotUTF8} {
		_, err := Operation{Fingerprint: pathsOf("body")}.FingerprintOf(Fields{"body": value})
		sameError(t, err, &FingerprintError{Path: "body", Why: why})
	}
	_, err := Operation{Fingerprint: pathsOf("body")}.FingerprintOf(Fields{"body": math.NaN()})
	sameError(t, err, &FingerprintError{Path: "body", Why: WhyInfinite})
}
