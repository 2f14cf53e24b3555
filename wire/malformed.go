package wire

import (
	"errors"
	"fmt"
)

// malformed is an error of the bytes, not of the connection.
type malformed struct{ what string }

func (m *malformed) Error() string { return m.what }

// Wrong is an error of the bytes, which Blame tells.
func Wrong(format string, args ...any) error { return &malformed{fmt.Sprintf(format, args...)} }

// Blame records why the proxy has ended a connection by itself, where that is what one side has
// said.
func (f *Front) Blame(side, protocol string, err error) {
	var m *malformed
	if errors.As(err, &m) {
		f.gate.Unreadable(fmt.Sprintf("connection of the %s ended: the %s does not speak %s: %v", f.peer, side, protocol, m))
	}
}
