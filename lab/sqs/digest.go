package sqs

import (
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
)

func digestOfBody(body string) string {
	sum := md5.Sum([]byte(body))
	return hex.EncodeToString(sum[:])
}

// digestOfAttributes is MD5OfMessageAttributes: every name in order, its type,
// one byte that says string or binary, and its value, each with its length.
func digestOfAttributes(attributes map[string]Attribute) string {
	if len(attributes) == 0 {
		return ""
	}
	var b []byte
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		a := attributes[name]
		b = withLength(withLength(b, name), a.DataType)
		if a.binary() {
			b = withLength(append(b, 2), string(a.BinaryValue))
		} else {
			b = withLength(append(b, 1), a.StringValue)
		}
	}
	return digestOfBody(string(b))
}

func withLength(b []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
}

func (a Attribute) binary() bool {
	return a.DataType == "Binary" || strings.HasPrefix(a.DataType, "Binary.")
}
