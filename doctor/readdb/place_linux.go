package readdb

import (
	"os"
	"path/filepath"
	"syscall"

	"github.com/twiceproof/twiceproof/doctor"
)

// placeOf tells the file system that a file is on.
func placeOf(path string) (fs doctor.FileSystem, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return fs, err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return fs, err
	}
	var stat syscall.Statfs_t
	if err := syscall.Statfs(path, &stat); err != nil {
		return fs, err
	}
	fs.Magic = int64(stat.Type) //nolint:unconvert // it is 32 bits wide on some machines
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err == nil { // without it statfs alone tells
		fs.Type = doctor.MountType(string(mounts), path)
	}
	return fs, nil
}
