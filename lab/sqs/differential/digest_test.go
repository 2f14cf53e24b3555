package differential_test

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
)

// The digests that Amazon documents.

func bodyDigest(body string) string {
	sum := md5.Sum([]byte(body))
	return hex.EncodeToString(sum[:])
}

func contentDigest(body string) string {
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:])
}

// digest is the MD5 of message attributes, as Amazon's guide has it: of every
// name in order its length and text, its type's, the byte 1 for a string, and
// its value's.
func digest(all attributes) string {
	var b []byte
	text := func(s string) {
		b = append(append(b, byte(len(s)>>24), byte(len(s)>>16), byte(len(s)>>8), byte(len(s))), s...)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text(name)
		text(all[name].DataType)
		b = append(b, 1)
		text(all[name].StringValue)
	}
	return bodyDigest(string(b))
}
