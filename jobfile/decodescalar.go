package jobfile

import (
	"errors"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/twiceproof/twiceproof/job"
)

func (d *decoder) text(n ast.Node, field, want string) (string, bool) {
	var text string
	switch n := n.(type) {
	case *ast.StringNode:
		text = n.Value
	case *ast.LiteralNode:
		text = n.Value.Value
	default:
		hint := "write " + want
		if _, scalar := n.(ast.ScalarNode); scalar {
			hint = "put it in quotes"
		}
		d.wrongKind(n, field, want, hint)
		return "", false
	}
	if strings.ContainsRune(text, 0) {
		d.fail(n, field, field+" holds a NUL character", "remove it")
		return "", false
	}
	if unfilled.MatchString(text) {
		d.fail(n, field, field+" is not filled in", "write your own in the place of FILL_IN; the remark above it says what")
		return "", false
	}
	return text, true
}

// unfilled is what twiceproof init writes where only a person knows what to write.
var unfilled = regexp.MustCompile(`\bFILL_IN\b`)

func (d *decoder) duration(n ast.Node, to *time.Duration, field string) {
	var text string
	switch n := n.(type) {
	case *ast.StringNode:
		text = n.Value
	case *ast.IntegerNode, *ast.FloatNode:
		text = n.GetToken().Value
	default:
		d.wrongKind(n, field, "a duration", "write one such as 90s, 2m or 45d")
		return
	}
	length, err := ParseDuration(text)
	var wrong *DurationError
	if errors.As(err, &wrong) {
		d.fail(n, field, field+" "+wrong.What+": "+strconv.Quote(text), wrong.Hint)
		return
	}
	*to = length
}

func (d *decoder) path(n ast.Node, to *job.Path, field string) {
	text, ok := d.text(n, field, "a path such as kwargs.order_id")
	if !ok {
		return
	}
	path, err := job.ParsePath(text)
	var wrong *job.PathError
	if errors.As(err, &wrong) {
		d.fail(n, field, field+": "+wrong.Error(), wrong.Hint)
		return
	}
	*to = path
}

func (d *decoder) texts(n ast.Node, to *map[string]string, field string) {
	m := d.mapping(n, field)
	if m == nil {
		return
	}
	*to = map[string]string{}
	for entry := m.MapRange(); entry.Next(); {
		name, ok := d.name(entry.Key(), field)
		if !ok {
			continue
		}
		at := under(field, name)
		d.places[at] = positionOf(entry.Key())
		if !d.plain(entry.Value(), at) {
			continue
		}
		if text, ok := d.text(entry.Value(), at, "a text"); ok {
			(*to)[name] = text
		}
	}
}

func (d *decoder) number(n ast.Node, v reflect.Value, field string) {
	if _, ok := n.(*ast.IntegerNode); !ok {
		d.wrongKind(n, field, "a whole number", "write digits without quotes")
		return
	}
	number, err := strconv.ParseInt(n.GetToken().Value, 10, 32)
	if err != nil {
		d.fail(n, field, field+" is no whole number of ordinary size", "write plain decimal digits")
		return
	}
	v.SetInt(number)
}

func (d *decoder) boolean(n ast.Node, v reflect.Value, field string) {
	b, ok := n.(*ast.BoolNode)
	if !ok {
		d.wrongKind(n, field, "true or false", "write true or false, without quotes")
		return
	}
	v.SetBool(b.Value)
}
