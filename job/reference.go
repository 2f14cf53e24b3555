package job

import (
	"crypto/sha256"
	"encoding/hex"
)

// Reference is the value that the outside service is given: a pure function of
// the job type and the operation key, so it is the same in every attempt, on
// every worker and after every deploy.
//
// It is a UUID of 36 characters (RFC 9562, version 8), because most services
// take one and some take nothing longer. Its bits are the first 16 bytes of
// SHA-256 over the job type and the key, each behind its length in 8 bytes
// (big-endian), with version and variant set.
func Reference(jobType, key string) string {
	sum := sha256.Sum256(append(lengthPrefixed([]byte(jobType)), lengthPrefixed([]byte(key))...))
	u := sum[:16]
	u[6] = u[6]&0x0f | 0x80
	u[8] = u[8]&0x3f | 0x80
	h := hex.EncodeToString(u)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
