package wire

import (
	"errors"
	"fmt"
)

// Malformed is an error of the bytes, not of the connection.
type Malformed struct{ what string }

func (m *Malformed) Error() string { return m.what }

// Wrong makes one.
func Wrong(format string, args ...any) error { return &Malformed{fmt.Sprintf(format, args...)} }

// Blame keeps why the proxy has ended a connection by itself, where that is what one side has
// said: once among the notes, and as an event.
func (f *Front) Blame(side, protocol string, err error) {
	var m *Malformed
	if errors.As(err, &m) {
		f.note(fmt.Sprintf("connection of the %s ended: the %s does not speak %s: %v", f.peer, side, protocol, m))
	}
}
