package respwire

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzReader reads bytes as what either side says. Nothing panics, and the bytes that are
// passed on are those that came, in order and without one left out.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"*3\r\n$3\r\nSET\r\n$1\r\na\r\n$2\r\n\r\n\r\n", "PING \"a\\x00\"\r\n", "*0\r\n*-1\r\n\r\nEXEC\n",
		"*5\r\n$6\r\nBLMPOP\r\n$1\r\n0\r\n$1\r\n1\r\n$1\r\na\r\n$4\r\nLEFT\r\n",
		"+OK\r\n-ERR no\r\n:1\r\n$-1\r\n*-1\r\n_\r\n", "*2\r\n$1\r\na\r\n*1\r\n:1\r\n",
		"%1\r\n+a\r\n~1\r\n#t\r\n", "|1\r\n+ttl\r\n:1\r\n,1.5\r\n", ">3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nb\r\n",
		"=5\r\ntxt:a\r\n(123\r\n!3\r\nERR\r\n", "MULTI\r\nSUBSCRIBE a\r\nEXEC\r\nCLIENT REPLY SKIP\r\nHELLO 3\r\nRESET\r\n",
		strings.Repeat("*1\r\n", 70), "*1000000000\r\n", "$1000000000\r\nx",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		commands, values := newReader(bytes.NewReader(said)), newReader(bytes.NewReader(said))
		var r request
		whole(t, said, commands, func() error {
			c, err := commands.command()
			if err == nil && r.kind(c) == step {
				DefaultName(r.said(c))
			}
			return err
		})
		subs := subscriptions{to: map[string]bool{}}
		whole(t, said, values, func() error {
			v, err := values.value()
			fl := &flight{command: Command{Name: "UNSUBSCRIBE"}}
			if err == nil && !subs.isUnasked(fl, v) {
				subs.endsWith(fl.command, v)
				said := Said{Commands: []Command{{Name: "BRPOP"}}, Reply: v}
				status(said)
				said.Taken()
			}
			return err
		})
	})
}

// whole reads to the first error, and compares what would be passed on.
func whole(t *testing.T, said []byte, r *reader, next func() error) {
	var passed bytes.Buffer
	for next() == nil {
		if err := r.kept.Send(&passed); err != nil {
			t.Fatal(err)
		}
	}
	r.kept.Drop()
	if !bytes.HasPrefix(said, passed.Bytes()) {
		t.Errorf("%q goes on as %q", said, passed.Bytes())
	}
}
