package job

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

var (
	errNotUTF8   = errors.New("not valid UTF-8")
	errSyntax    = errors.New("not one sound JSON value")
	errTwice     = errors.New("a JSON object has the same name twice")
	errSurrogate = errors.New("a JSON string has half of a surrogate pair")
)

// DecodeJSON reads one JSON value and keeps numbers as json.Number. It refuses
// what two readers may take differently, because an operation key must not
// depend on who reads the message: a name twice in one object, text after the
// value, invalid UTF-8, and half a surrogate pair, which encoding/json would
// silently replace and so make two keys one.
func DecodeJSON(data []byte) (any, error) {
	switch {
	case !utf8.Valid(data):
		return nil, errNotUTF8
	case !json.Valid(data):
		return nil, errSyntax
	case hasLoneSurrogate(data):
		return nil, errSurrogate
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return decodeValue(d)
}

func decodeValue(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return decodeObject(d)
	case json.Delim('['):
		return decodeList(d)
	}
	return token, nil
}

func decodeObject(d *json.Decoder) (any, error) {
	object := map[string]any{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		if _, twice := object[name]; twice {
			return nil, errTwice
		}
		if object[name], err = decodeValue(d); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return object, err
}

func decodeList(d *json.Decoder) (any, error) {
	list := []any{}
	for d.More() {
		value, err := decodeValue(d)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	_, err := d.Token()
	return list, err
}

// hasLoneSurrogate looks at the \u escapes of sound JSON, which has
// backslashes only in strings.
func hasLoneSurrogate(data []byte) bool {
	for {
		i := bytes.IndexByte(data, '\\')
		if i < 0 {
			return false
		}
		data = data[i:]
		switch unit, ok := escapedUnit(data); {
		case !ok:
			data = data[2:]
		case !utf16.IsSurrogate(unit):
			data = data[6:]
		default:
			low, _ := escapedUnit(data[6:])
			if utf16.DecodeRune(unit, low) == utf8.RuneError {
				return true
			}
			data = data[12:]
		}
	}
}

// escapedUnit is the \uXXXX that data starts with.
func escapedUnit(data []byte) (rune, bool) {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(data[2:6]), 16, 16)
	return rune(unit), err == nil
}
