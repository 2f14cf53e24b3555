package jobfile

import (
	"encoding/json"
	"maps"
	"strings"
)

// keyMark stands for the case's own value in a message template.
const keyMark = "{{key}}"

// Fill gives the message for one operation. In a JSON body the value is
// escaped as in a JSON string, so that a quote or a line break in it stays
// data; elsewhere it is put in as it is.
func (m Message) Fill(key string) (body string, attributes map[string]string) {
	inBody := key
	if m.isJSON() {
		inBody = escapeJSON(key)
	}
	attributes = maps.Clone(m.Attributes)
	for name, value := range attributes {
		attributes[name] = strings.ReplaceAll(value, keyMark, key)
	}
	return strings.ReplaceAll(m.Body, keyMark, inBody), attributes
}

// isJSON tries a digit, which is sound both as a number and within a string.
func (m Message) isJSON() bool {
	return json.Valid([]byte(strings.ReplaceAll(m.Body, keyMark, "1")))
}

func (m Message) hasKey() bool {
	if strings.Contains(m.Body, keyMark) {
		return true
	}
	for _, value := range m.Attributes {
		if strings.Contains(value, keyMark) {
			return true
		}
	}
	return false
}

func escapeJSON(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}
