package jobfile

import (
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/twiceproof/twiceproof/job"
)

// decoder puts YAML nodes into structs and keeps every problem with its place,
// where the decoder of the YAML package would stop at the first.
//
// A struct's fields are tagged yaml:"name". A tag need:"…" makes a field
// required and is the hint for whoever left it out. A list of structs whose
// first field is tagged yaml:",name" is written as names with values.
type decoder struct {
	file   string
	errs   []*Error
	places map[string]position // of each field that was written
	bad    map[string]bool     // fields that have been reported
}

// defaulter fills in what a file may leave out.
type defaulter interface{ setDefaults() }

func newDecoder(file string) *decoder {
	return &decoder{file: file, places: map[string]position{}, bad: map[string]bool{}}
}

// read decodes a whole file into a pointer to a struct.
func (d *decoder) read(data []byte, into any) {
	root, e := rootOf(d.file, data)
	if e != nil {
		d.errs = append(d.errs, e)
		return
	}
	d.places[""] = position{line: 1, column: 1}
	d.structure(root, reflect.ValueOf(into).Elem(), "")
}

// fail reports a problem where the node stands.
func (d *decoder) fail(n ast.Node, field, what, hint string) {
	d.bad[field] = true
	d.errs = append(d.errs, errorAt(d.file, n, field, what, hint))
}

// failField reports a problem where the field was written, or else where the
// field around it was.
func (d *decoder) failField(field, what, hint string) {
	d.bad[field] = true
	at := d.placeOf(field)
	d.errs = append(d.errs, &Error{File: d.file, Line: at.line, Column: at.column, Field: field, What: what, Hint: hint})
}

func (d *decoder) placeOf(field string) position {
	for ; field != ""; field = around(field) {
		if at, ok := d.places[field]; ok {
			return at
		}
	}
	return d.places[""]
}

// around is the field that a field stands in.
func around(field string) string {
	return field[:max(0, strings.LastIndexAny(field, ".["))]
}

func (d *decoder) value(n ast.Node, v reflect.Value, field string) {
	if !d.plain(n, field) {
		return
	}
	switch to := v.Addr().Interface().(type) {
	case *time.Duration:
		d.duration(n, to, field)
	case *job.Path:
		d.path(n, to, field)
	case *map[string]string:
		d.texts(n, to, field)
	default:
		d.kind(n, v, field)
	}
}

func (d *decoder) kind(n ast.Node, v reflect.Value, field string) {
	switch v.Kind() {
	case reflect.String:
		if text, ok := d.text(n, field, "a text"); ok {
			v.SetString(text)
		}
	case reflect.Int:
		d.number(n, v, field)
	case reflect.Bool:
		d.boolean(n, v, field)
	case reflect.Slice:
		if nameField(v.Type().Elem()) {
			d.named(n, v, field)
		} else {
			d.list(n, v, field)
		}
	case reflect.Struct:
		if m := d.mapping(n, field); m != nil {
			d.structure(m, v, field)
		}
	default:
		panic("jobfile: no way to read a " + v.Type().String())
	}
}

// plain refuses an empty value and the parts of YAML that are not read.
func (d *decoder) plain(n ast.Node, field string) bool {
	switch n.Type() {
	case ast.NullType:
		d.fail(n, field, field+" has no value", "write a value, or leave the line out")
	case ast.AnchorType, ast.AliasType, ast.MergeKeyType:
		d.fail(n, field, field+" uses an anchor or alias, which is not read", "write the value out")
	case ast.TagType:
		d.fail(n, field, field+" uses a tag, which is not read", "leave the ! out, or quote the text")
	default:
		return true
	}
	return false
}

func (d *decoder) wrongKind(n ast.Node, field, want, hint string) {
	d.fail(n, field, field+" must be "+want+", but "+kindOf(n)+" stands here", hint)
}

func (d *decoder) list(n ast.Node, v reflect.Value, field string) {
	sequence, ok := n.(*ast.SequenceNode)
	if !ok {
		d.wrongKind(n, field, "a list", "write it in brackets or with a dash before each item; quote an item that has brackets, such as [\"args[0]\"]")
		return
	}
	list := reflect.MakeSlice(v.Type(), len(sequence.Values), len(sequence.Values))
	for i, item := range sequence.Values {
		at := field + "[" + strconv.Itoa(i) + "]"
		d.places[at] = positionOf(item)
		d.value(item, list.Index(i), at)
	}
	v.Set(list)
}
