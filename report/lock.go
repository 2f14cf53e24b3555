package report

import (
	"errors"
	"os"
	"syscall"
)

// ErrInUse says that another replay is writing into the folder.
var ErrInUse = errors.New("another replay is writing into this folder")

// Lock makes the folder and takes it for this replay alone: two replays at once would
// leave evidence of which half is the other's. The folder itself is what is locked, so
// nothing is left behind, and the system ends the lock of a replay that was killed.
func (e Evidence) Lock() (release func(), err error) {
	if err := os.MkdirAll(e.Folder, 0o755); err != nil {
		return nil, err
	}
	folder, err := os.Open(e.Folder)
	if err != nil {
		return nil, err
	}
	// Any other error is a file system that has no locks.
	if err := syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		_ = folder.Close()
		return nil, ErrInUse
	}
	return func() { _ = folder.Close() }, nil
}
