package postgres

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// owner is the account the server's processes run as; nil is our own.
// PostgreSQL refuses to run as root, so root lends them another account.
type owner struct{ uid, gid uint32 }

func chooseOwner() (*owner, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(account.Uid, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("read account %s: %w", name, err)
		}
		gid, err := strconv.ParseUint(account.Gid, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("read account %s: %w", name, err)
		}
		return &owner{uint32(uid), uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL refuses to run as root, and there is neither a postgres nor a nobody account")
}

func (o *owner) credential() *syscall.Credential {
	if o == nil {
		return nil
	}
	return &syscall.Credential{Uid: o.uid, Gid: o.gid}
}

// privateFolder makes a folder that only the owner can enter.
func privateFolder(o *owner) (string, error) {
	base, err := baseFolder(o)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(base, "twiceproof-postgres-")
	if err != nil {
		return "", fmt.Errorf("make the server's folder: %w", err)
	}
	if o != nil {
		if err := os.Chown(dir, int(o.uid), int(o.gid)); err != nil {
			return "", errors.Join(fmt.Errorf("hand over the server's folder: %w", err), os.Remove(dir))
		}
	}
	return dir, nil
}

// baseFolder is the folder for temporary files, or the first usual one whose
// parents another account can pass through when the owner is one.
func baseFolder(o *owner) (string, error) {
	if o == nil {
		return os.TempDir(), nil
	}
	for _, dir := range []string{os.TempDir(), "/tmp", "/var/tmp"} {
		if traversable(dir) {
			return dir, nil
		}
	}
	return "", fmt.Errorf("no temporary folder that an account other than root can enter: tried %s, /tmp, /var/tmp", os.TempDir())
}

func traversable(dir string) bool {
	path, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	for {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm()&0o001 == 0 {
			return false
		}
		if path == filepath.Dir(path) {
			return true
		}
		path = filepath.Dir(path)
	}
}
