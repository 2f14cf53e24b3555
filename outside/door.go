package outside

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
)

// door is a loopback port that can be shut, so that a connect to it is refused,
// and opened again.
type door struct {
	addr  *net.TCPAddr
	serve func(net.Listener) // until the listener is closed

	mu   sync.Mutex
	open *listener // nil while shut
	fd   int       // of the port that is kept while shut
	over bool
}

func openDoor(serve func(net.Listener)) (*door, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d := &door{addr: ln.Addr().(*net.TCPAddr), serve: serve}
	d.enter(ln)
	return d, nil
}

// enter serves a listener. Under the lock, or before anybody else has the door.
func (d *door) enter(ln net.Listener) {
	l := &listener{Listener: ln, ended: make(chan struct{}), conns: map[*conn]struct{}{}}
	d.open = l
	go func() {
		defer close(l.ended)
		d.serve(l)
	}()
}

func (d *door) down() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over || d.open == nil {
		return errors.New("take the outside service down: it is not up")
	}
	d.open.end()
	d.open = nil
	var err error
	if d.fd, err = reserve(d.addr); err != nil {
		d.over = true
		return fmt.Errorf("keep the port of the outside service: %w", err)
	}
	probe, err := net.DialTCP("tcp", nil, d.addr)
	if err == nil {
		probe.Close()
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("take the outside service down: a connect was not refused: %v", err) //nolint:errorlint // it may be nil
	}
	return nil
}

func (d *door) up() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over || d.open != nil {
		return errors.New("bring the outside service up: it is not down")
	}
	ln, err := listen(d.fd)
	if err != nil {
		d.over = true
		return fmt.Errorf("bring the outside service up: %w", err)
	}
	d.enter(ln)
	return nil
}

func (d *door) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.over:
	case d.open != nil:
		d.open.end()
	default:
		syscall.Close(d.fd)
	}
	d.over = true
}

// reserve binds the port without listening: a connect is refused, and no other
// program can be given the port.
func reserve(addr *net.TCPAddr) (fd int, err error) {
	syscall.ForkLock.RLock() // or a worker started meanwhile inherits it
	fd, err = syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return 0, err
	}
	to := &syscall.SockaddrInet4{Port: addr.Port, Addr: [4]byte(addr.IP.To4())}
	if err = reuse(fd, 1); err == nil { // connections of before may still be ending
		err = syscall.Bind(fd, to)
	}
	if err == nil {
		err = reuse(fd, 0) // or another program that says 1 shares the port
	}
	if err != nil {
		syscall.Close(fd)
	}
	return fd, err
}

func reuse(fd, yes int) error {
	return syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, yes)
}
