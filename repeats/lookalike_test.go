package repeats

import (
	"fmt"
	"slices"
	"testing"
)

// References that look the same have one folded form; it is told what differs.
func TestAlike(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		kinds []string
		onlyA string
		onlyB string
	}{
		{"ORD-1", "ord-1", []string{"case"}, "upper case", "lower case"},
		{"ORD-1", "ORD-1 ", []string{"spaces"}, "nothing", "U+0020"},
		{"ORD-1", "ORD-1\u00a0", []string{"spaces"}, "nothing", "U+00A0"},
		{"ORD 1", "ORD\t1", []string{"spaces"}, "U+0020", "U+0009"},
		{"caf\u00e9-1", "cafe\u0301-1", []string{"Unicode form"}, "U+00E9", "U+0065 U+0301"},
		{"ORD-1", "ORD\u200b-1", []string{"invisible characters"}, "nothing", "U+200B"},
		{"ORD-1", "\ufeffORD-1", []string{"invisible characters"}, "nothing", "U+FEFF"},
		{"ORD-1", "ORD-\uff11", []string{"width or compatibility form"}, "U+0031", "U+FF11"},
		{"ORD-1", "\u041eRD-1", []string{"letters of another script"}, "U+004F", "U+041E"},
		{"ORD-\xe4", "ord-\xe4", []string{"case"}, "upper case", "lower case"},
		{"ORD-1", "ord-1 ", []string{"spaces", "case"}, "nothing", "U+0020"},
	} {
		if x, y := AppendFold(nil, c.a), AppendFold([]byte("x"), c.b); string(x) != string(y[1:]) {
			t.Errorf("%+q and %+q have two forms: %+q, %+q", c.a, c.b, x, y)
		}
		if got := Kinds(c.a, c.b); !slices.Equal(got, c.kinds) {
			t.Errorf("%+q and %+q: %q, want %q", c.a, c.b, got, c.kinds)
		}
		if a, b := CodePoints(c.a, c.b); a != c.onlyA || b != c.onlyB {
			t.Errorf("%+q and %+q: %s and %s", c.a, c.b, a, b)
		}
	}
	for _, c := range [][2]string{{"ORD-1", "ORD-2"}, {"ORD-1", "ORD1"}, {"ORD 1", "ORD1"}, {"0", "O"}, {"caf\u00e9", "cafe"}, {"ORD-1", "\u0414RD-1"}, {"\x80\x81A", "\x82\x81a"}, {"A\x01\xff", "a\x01\xff"}} {
		if slices.Equal(AppendFold(nil, c[0]), AppendFold(nil, c[1])) {
			t.Errorf("%+q and %+q do not look the same", c[0], c[1])
		}
	}
}

// Those kept as examples do not depend on the order in which they came.
func TestAlikesAreSorted(t *testing.T) {
	one, other := Alikes{Limit: 2}, Alikes{Limit: 2}
	families := [][]string{{"a ", "a"}, {"b", "B"}, {"c", "C", "c "}, {"alone"}}
	for i := range families {
		one.Add(slices.Clone(families[i]))
		other.Add(slices.Clone(families[len(families)-1-i]))
	}
	if fmt.Sprint(one) != fmt.Sprint(other) || one.Families != 3 || len(one.Examples) != 2 || one.Kinds["case"] != 3 || one.Kinds["spaces"] != 2 {
		t.Errorf("%+v and %+v", one, other)
	}
}
