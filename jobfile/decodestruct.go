package jobfile

import (
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// member is one field of a struct as the file names it.
type member struct {
	name  string
	need  string // the hint when it is left out; empty when it may be
	index int
}

func membersOf(t reflect.Type) []member {
	var members []member
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		if name != "" && name != "-" {
			members = append(members, member{name: name, need: t.Field(i).Tag.Get("need"), index: i})
		}
	}
	return members
}

// nameField reports whether a list of t is written as names with values.
func nameField(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() > 0 && t.Field(0).Tag.Get("yaml") == ",name"
}

func (d *decoder) mapping(n ast.Node, field string) ast.MapNode {
	m, ok := n.(ast.MapNode)
	if !ok {
		d.wrongKind(n, field, "names with values", "write name: value, each on its own line, or {name: value}")
	}
	return m
}

func (d *decoder) structure(m ast.MapNode, v reflect.Value, field string) {
	if defaults, ok := v.Addr().Interface().(defaulter); ok {
		defaults.setDefaults()
	}
	members := membersOf(v.Type())
	for entry := m.MapRange(); entry.Next(); {
		name, ok := d.name(entry.Key(), field)
		if !ok {
			continue
		}
		i := slices.IndexFunc(members, func(f member) bool { return f.name == name })
		if i < 0 {
			d.unknown(entry.Key(), field, name, members)
			continue
		}
		at := under(field, name)
		d.places[at] = positionOf(entry.Key())
		d.value(entry.Value(), v.Field(members[i].index), at)
	}
	d.needed(v, members, field)
}

// unknown reports a field that nobody reads. The field that was probably meant
// counts as reported, so that its absence is not a second problem.
func (d *decoder) unknown(key ast.Node, field, name string, members []member) {
	names := make([]string, len(members))
	for i, f := range members {
		names[i] = f.name
	}
	hint := "known here: " + strings.Join(names, ", ")
	if near := nearest(name, names); near != "" {
		hint = "did you mean " + near + "?"
		d.bad[under(field, near)] = true
	}
	d.fail(key, under(field, name), "unknown field "+name, hint)
}

func (d *decoder) needed(v reflect.Value, members []member, field string) {
	for _, f := range members {
		at := under(field, f.name)
		if f.need == "" || !isEmpty(v.Field(f.index)) || d.bad[at] || d.reportedIn(at) {
			continue
		}
		what := " is missing"
		if _, written := d.places[at]; written {
			what = " is empty"
		}
		d.failField(at, at+what, f.need)
	}
}

func isEmpty(v reflect.Value) bool {
	return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
}

// named reads names with values into a list, in their order.
func (d *decoder) named(n ast.Node, v reflect.Value, field string) {
	m := d.mapping(n, field)
	if m == nil {
		return
	}
	for entry := m.MapRange(); entry.Next(); {
		name, ok := d.name(entry.Key(), field)
		if !ok {
			continue
		}
		at := under(field, name)
		d.places[at] = positionOf(entry.Key())
		item := reflect.New(v.Type().Elem()).Elem()
		d.value(entry.Value(), item, at)
		item.Field(0).SetString(name)
		v.Set(reflect.Append(v, item))
	}
}

// name reads a name before a colon.
func (d *decoder) name(key ast.MapKeyNode, field string) (string, bool) {
	text, ok := key.(*ast.StringNode)
	if ok && text.Value != "" {
		return text.Value, true
	}
	d.fail(key, field, "a name must be a text, and not empty", "put the name in quotes, and write anchors and merges out")
	return "", false
}

func under(field, name string) string {
	if field == "" {
		return name
	}
	return field + "." + name
}
