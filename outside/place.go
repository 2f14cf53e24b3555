package outside

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// place is where a call carries a value: body.order.id, header.Idempotency-Key
// or query.ref. The zero value is nowhere.
type place struct{ in, name string }

func readPlace(text string) (place, error) {
	if text == "" {
		return place{}, nil
	}
	in, name, _ := strings.Cut(text, ".")
	if in != "body" && in != "header" && in != "query" || name == "" {
		return place{}, fmt.Errorf("%q: want body.<field>, header.<name> or query.<name>", text)
	}
	return place{in, name}, nil
}

// read gives the value as text, and "" where there is none.
func (p place) read(r request) string {
	switch p.in {
	case "header":
		return r.header.Get(p.name)
	case "query":
		return r.query.Get(p.name)
	case "body":
		return field(r.fields(), p.name)
	}
	return ""
}

// field reads a path such as order.id. A field whose own name has dots in it is
// found first.
func field(fields map[string]any, path string) string {
	if v, ok := fields[path]; ok {
		return text(v)
	}
	first, rest, _ := strings.Cut(path, ".")
	inner, _ := fields[first].(map[string]any)
	if inner == nil || rest == "" {
		return ""
	}
	return field(inner, rest)
}

// text is a value as its sender wrote it: 17 and "17" name the same operation.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// fields are the fields of a JSON object or of a form, and nil for any other
// body. Some clients call a form what is not: Net::HTTP does of any body that has no
// type of its own.
func (r request) fields() map[string]any {
	fields := decode(r.body)
	if fields == nil && strings.HasPrefix(r.header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		return formFields(r.body)
	}
	return fields
}

func formFields(body []byte) map[string]any {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil
	}
	fields := map[string]any{}
	for name, values := range form {
		fields[name] = values[0]
	}
	return fields
}
