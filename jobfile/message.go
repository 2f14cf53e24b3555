package jobfile

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"

	"github.com/twiceproof/twiceproof/job"
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

// checkFingerprintOf: a field of the fingerprint that the template does not have is null
// in each of its messages, so the fingerprint would compare nothing.
func (d *decoder) checkFingerprintOf(j job.Job, m Message) {
	body, attributes := m.Fill("1001")
	fields, err := job.FieldsOf(j.Queue, []byte(body), attributes)
	if err != nil {
		return // checkKeyOf says so
	}
	for _, path := range j.Operation.Fingerprint {
		_, err := job.Operation{Key: []job.Path{path}}.KeyOf(fields)
		refused := (*job.KeyError)(nil)
		d.check(!errors.As(err, &refused) || refused.Why != job.WhyAbsent, "message", "has no field "+path.String()+", which operation.fingerprint of the job file names",
			"write the field into the template, or correct operation.fingerprint")
	}
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
