package outside

import (
	"net"
	"os"
	"sync"
	"syscall"
)

// listen makes a listener of a bound socket, and ends the socket.
func listen(fd int) (net.Listener, error) {
	f := os.NewFile(uintptr(fd), "outside")
	defer f.Close() // the listener has a descriptor of its own
	if err := reuse(fd, 1); err != nil {
		return nil, err
	}
	if err := syscall.Listen(fd, syscall.SOMAXCONN); err != nil {
		return nil, err
	}
	return net.FileListener(f)
}

// listener knows its connections.
type listener struct {
	net.Listener
	ended chan struct{} // closed: nobody accepts any more

	mu    sync.Mutex
	conns map[*conn]struct{}
}

// conn is a TCP connection with all that net/http asks of one.
type conn struct {
	*net.TCPConn
	from *listener
}

func (l *listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &conn{accepted.(*net.TCPConn), l}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[c] = struct{}{}
	return c, nil
}

func (c *conn) Close() error {
	c.from.mu.Lock()
	delete(c.from.conns, c)
	c.from.mu.Unlock()
	return c.TCPConn.Close()
}

// end accepts nobody any more and closes the connections.
func (l *listener) end() {
	l.Close()
	<-l.ended
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		c.TCPConn.Close()
	}
	clear(l.conns)
}
