package process

import (
	"bytes"
	"sync"
)

// output keeps the end of what a worker printed.
type output struct {
	mu   sync.Mutex
	text []byte
}

const outputLimit = 64 << 10

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, p...)
	if len(o.text) > 2*outputLimit {
		o.text = wholeLines(o.text[len(o.text)-outputLimit:])
	}
	return len(p), nil
}

// wholeLines leaves out a line whose beginning was cut off: half of a secret is not
// recognised as one.
func wholeLines(text []byte) []byte {
	return append([]byte(nil), text[bytes.IndexByte(text, '\n')+1:]...)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.text)
}
