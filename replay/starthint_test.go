package replay

import (
	"strings"
	"testing"
)

func TestBuildHint(t *testing.T) {
	for _, c := range []struct{ command, out, want string }{
		{"go build -o {out}/ ./new", "/home/an na/twiceproof/out", "TMPDIR"},
		{"go build -o {out}/ ./new", "/tmp/twiceproof-1-2/out", "by hand"},
		{"make", "/home/an na/twiceproof/out", "by hand"},
	} {
		if got := buildHint(c.command, c.out); !strings.Contains(got, c.want) {
			t.Errorf("%s in %s: %s", c.command, c.out, got)
		}
	}
}
