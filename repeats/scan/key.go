package scan

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/repeats/source"
)

// ColumnsKey makes the operation key of a record's key columns, as the guard would of
// the same values in a message.
func ColumnsKey(columns []string) (func(*source.Record) (key, why string), error) {
	var op job.Operation
	for _, name := range columns {
		quoted, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		path, err := job.ParsePath("body[" + string(quoted) + "]")
		if err != nil {
			return nil, &source.Error{What: "the key's column cannot be named: " + err.Error(), Hint: "give the column another name in the export"}
		}
		op.Key = append(op.Key, path)
	}
	values := map[string]any{}
	return func(r *source.Record) (string, string) {
		for i, name := range columns {
			values[name] = r.Key[i]
		}
		return keyOf(op, job.Fields{"body": values})
	}, nil
}

// MessageKey makes the key and the content of a record that is a message in JSON: the
// whole line is the body and the job, and what it has under args, kwargs, headers and
// attributes are those.
func MessageKey(op job.Operation) (key func(*source.Record) (key, why string), content func(*source.Record) string) {
	key = func(r *source.Record) (string, string) {
		fields, why := fieldsOf(r)
		if why != "" {
			return "", why
		}
		return keyOf(op, fields)
	}
	if len(op.Fingerprint) == 0 {
		return key, nil
	}
	return key, func(r *source.Record) string {
		fields, why := fieldsOf(r)
		if why != "" {
			return ""
		}
		print, err := op.FingerprintOf(fields)
		if err != nil {
			return ""
		}
		return string(print.Sum)
	}
}

func fieldsOf(r *source.Record) (job.Fields, string) {
	body, err := job.DecodeJSON([]byte(r.Body))
	if err != nil {
		return nil, err.Error()
	}
	fields := job.Fields{"body": body, "job": body}
	object, _ := body.(map[string]any)
	for _, root := range []string{"args", "kwargs", "headers", "attributes"} {
		if v, is := object[root]; is {
			fields[root] = v
		}
	}
	return fields, ""
}

func keyOf(op job.Operation, fields job.Fields) (key, why string) {
	key, err := op.KeyOf(fields)
	var refused *job.KeyError
	if errors.As(err, &refused) { // without the path: a field's name is a value, too
		return "", strings.Replace((&job.KeyError{Why: refused.Why}).Error(), "operation key:", "a part of it", 1)
	}
	if err != nil {
		return "", "it cannot be read"
	}
	return key, ""
}
