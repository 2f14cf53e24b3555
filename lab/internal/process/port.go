package process

import (
	"errors"
	"fmt"
	"net"
)

// ErrPortTaken says that another process took the port before the server did,
// or answers on it.
var ErrPortTaken = errors.New("the port was taken by another process")

// FreePort lets the kernel choose. The servers cannot take over a socket, so
// another process may take the port first: Serve tries again.
func FreePort() (int, error) {
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	return port, listener.Close()
}
