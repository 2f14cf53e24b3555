package job

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Fingerprint is what must match when an operation key is used again.
type Fingerprint struct {
	// Sum is 32 bytes, or nil when the job names no fields.
	Sum []byte
	// Fields is the list of fields behind the sum: canonical paths, sorted by
	// their bytes, joined with a comma.
	Fields string
}

// Differs reports that two messages of one operation disagree. It takes both
// sums, made from the same fields: a field added by a release, or a record
// without a fingerprint, is no disagreement.
func (a Fingerprint) Differs(b Fingerprint) bool {
	return len(a.Sum) != 0 && len(b.Sum) != 0 && a.Fields == b.Fields && !bytes.Equal(a.Sum, b.Sum)
}

// FingerprintOf takes the fingerprint of the operation's named fields.
//
// The sum is SHA-256 over the fields in the order of Fields, each as a type
// byte, its length in 8 bytes (big-endian) and its bytes:
//
//	s  string    UTF-8
//	i  integer   decimal digits, all of them, - in front of a negative one
//	f  float     IEEE 754 double, big-endian; -0 as 0
//	b  boolean   01 or 00
//	n  null      nothing; an absent field is null
//
// So 1, 1.0 and "1" are three values, and the order of the job file's list
// does not matter. Lists and objects are refused: name the fields in them. Its
// error is a *FingerprintError.
func (o Operation) FingerprintOf(f Fields) (Fingerprint, error) {
	if len(o.Fingerprint) == 0 {
		return Fingerprint{}, nil
	}
	paths := slices.SortedFunc(slices.Values(o.Fingerprint), func(a, b Path) int {
		return strings.Compare(a.text, b.text)
	})
	var encoded []byte
	for _, path := range paths {
		value, _ := f.find(path)
		field, why := encodeField(scalarOf(value))
		if why != "" {
			return Fingerprint{}, &FingerprintError{Path: path.String(), Why: why}
		}
		encoded = append(encoded, field...)
	}
	sum := sha256.Sum256(encoded)
	return Fingerprint{Sum: sum[:], Fields: pathList(paths)}, nil
}

func encodeField(s scalar) ([]byte, Why) {
	payload, why := fieldPayload(s)
	return append([]byte{byte(s.kind)}, lengthPrefixed(payload)...), why
}

func fieldPayload(s scalar) ([]byte, Why) {
	switch s.kind {
	case kindNull:
		return nil, ""
	case kindInteger:
		return []byte(s.text), ""
	case kindString:
		if !utf8.ValidString(s.text) {
			return nil, WhyNotUTF8
		}
		return []byte(s.text), ""
	case kindFloat:
		return floatBytes(s.float)
	case kindBoolean:
		if s.boolean {
			return []byte{1}, ""
		}
		return []byte{0}, ""
	case kindList:
		return nil, WhyList
	case kindObject:
		return nil, WhyObject
	}
	return nil, WhyType
}

func floatBytes(f float64) ([]byte, Why) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nil, WhyInfinite
	}
	if f == 0 {
		f = 0 // -0 == 0, but their bits differ
	}
	return binary.BigEndian.AppendUint64(nil, math.Float64bits(f)), ""
}

func lengthPrefixed(b []byte) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(len(b))), b...)
}
