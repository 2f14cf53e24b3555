package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/report"
)

// schemaWords are those of JSON Schema that the walk below knows. Another one in
// the schema would be passed over in silence.
var schemaWords = []string{
	"$schema", "$defs", "$ref", "title", "description", "type", "const", "enum", "required", "properties", "additionalProperties",
	"items", "minimum", "minLength", "maxLength", "pattern", "allOf", "if", "then", "else", "not",
}

func reportSchema() (root map[string]any, err error) {
	err = json.Unmarshal(report.JSONSchema, &root)
	return root, err
}

// misfits lists what in a value is not as the schema says.
func misfits(root map[string]any, schema any, value any, at string) (list []string) {
	if allowed, ok := schema.(bool); ok {
		if !allowed {
			return []string{at + " is not known"}
		}
		return nil
	}
	s := schema.(map[string]any)
	say := func(bad bool, what string) {
		if bad {
			list = append(list, at+" "+what)
		}
	}
	for word := range s {
		say(!slices.Contains(schemaWords, word), "has a word of JSON Schema that this test does not know: "+word)
	}
	if ref, ok := s["$ref"].(string); ok {
		defs := root["$defs"].(map[string]any)
		list = append(list, misfits(root, defs[strings.TrimPrefix(ref, "#/$defs/")], value, at)...)
	}
	if want, ok := s["const"]; ok {
		say(!reflect.DeepEqual(value, want), fmt.Sprintf("is not %v", want))
	}
	if choices, ok := s["enum"].([]any); ok {
		say(!slices.Contains(choices, value), fmt.Sprintf("is none of %v", choices))
	}
	if typ, ok := s["type"].(string); ok {
		say(!hasType(value, typ), "is no "+typ)
	}
	switch v := value.(type) {
	case map[string]any:
		list = append(list, objectMisfits(root, s, v, at)...)
	case []any:
		for i, item := range v {
			if s["items"] != nil {
				list = append(list, misfits(root, s["items"], item, fmt.Sprintf("%s[%d]", at, i))...)
			}
		}
	case string:
		pattern, _ := s["pattern"].(string)
		say(!regexp.MustCompile(pattern).MatchString(v), "does not match "+pattern)
		least, _ := s["minLength"].(float64)
		say(len(v) < int(least), "is too short")
		most, limited := s["maxLength"].(float64)
		say(limited && len(v) > int(most), "is too long")
	case float64:
		least, limited := s["minimum"].(float64)
		say(limited && v < least, "is too small")
	}
	for _, each := range anyList(s["allOf"]) {
		list = append(list, misfits(root, each, value, at)...)
	}
	if s["if"] != nil {
		branch := s["then"]
		if len(misfits(root, s["if"], value, at)) > 0 {
			branch = s["else"]
		}
		list = append(list, misfits(root, branch, value, at)...)
	}
	if s["not"] != nil {
		say(len(misfits(root, s["not"], value, at)) == 0, "is what it must not be")
	}
	return list
}

func objectMisfits(root, s, v map[string]any, at string) (list []string) {
	for _, name := range anyList(s["required"]) {
		if _, ok := v[name.(string)]; !ok {
			list = append(list, fmt.Sprintf("%s.%s is missing", at, name))
		}
	}
	known, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(v)) {
		each, ok := known[name]
		if !ok {
			each = s["additionalProperties"]
		}
		if each != nil {
			list = append(list, misfits(root, each, v[name], at+"."+name)...)
		}
	}
	return list
}

func anyList(v any) []any {
	list, _ := v.([]any)
	return list
}

func hasType(v any, typ string) bool {
	switch v := v.(type) {
	case map[string]any:
		return typ == "object"
	case []any:
		return typ == "array"
	case string:
		return typ == "string"
	case bool:
		return typ == "boolean"
	case float64:
		return typ == "number" || typ == "integer" && v == math.Trunc(v)
	}
	return typ == "null"
}

// A report with every verdict in it fits, and each kind of misfit is found.
func TestReportSchema(t *testing.T) {
	root, err := reportSchema()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../report/testdata/report.json")
	if err != nil {
		t.Fatal(err)
	}
	read := func() (value map[string]any) {
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		return value
	}
	if list := misfits(root, root, read(), "report"); len(list) > 0 {
		t.Errorf("the golden report does not fit: %q", list)
	}
	result := func(v map[string]any) map[string]any { return v["results"].([]any)[0].(map[string]any) }
	for want, spoil := range map[string]func(map[string]any){
		"report.more is not known":                   func(v map[string]any) { v["more"] = 1.0 },
		"report.results[0].more is not known":        func(v map[string]any) { result(v)["more"] = 1.0 },
		"report.job is missing":                      func(v map[string]any) { delete(v, "job") },
		"report.results[0].facts is missing":         func(v map[string]any) { delete(result(v), "facts") },
		"report.results[0].facts is no array":        func(v map[string]any) { result(v)["facts"] = nil },
		"report.schema is not twiceproof.replay/1":   func(v map[string]any) { v["schema"] = "twiceproof.replay/2" },
		"report.lease_ms is no integer":              func(v map[string]any) { v["lease_ms"] = 1.5 },
		"report.results[0].runs is too small":        func(v map[string]any) { result(v)["runs"] = -1.0 },
		"report.platform.go is no string":            func(v map[string]any) { v["platform"] = map[string]any{"go": 1.0} },
		"report.results[0].kind is not ":             func(v map[string]any) { result(v)["verdict"], result(v)["kind"] = "ok", "lost" },
		"report.results[0].kind is what it must not": func(v map[string]any) { result(v)["verdict"], result(v)["kind"] = "violation", "" },
	} {
		value := read()
		spoil(value)
		if list := misfits(root, root, value, "report"); len(list) != 1 || !strings.HasPrefix(list[0], want) {
			t.Errorf("want %q, got %q", want, list)
		}
	}
}
