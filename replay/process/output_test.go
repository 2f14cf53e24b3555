package process

import (
	"strings"
	"testing"
)

// Where the beginning of what was printed is cut off, no half of a secret is left.
func TestOutputIsCutAtALine(t *testing.T) {
	o := &output{}
	line := strings.Repeat("x", 99) + "\n"
	for range 2 * outputLimit / len(line) {
		_, _ = o.Write([]byte(line))
	}
	_, _ = o.Write([]byte("the last line\n" + strings.Repeat("y", 200) + "\n"))
	text := o.String()
	if !strings.HasPrefix(text, line) || !strings.Contains(text, "the last line\n") || len(text) > outputLimit {
		t.Errorf("%d bytes, beginning with %q", len(text), text[:100])
	}
}
