package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// privateFolder makes a folder that only the account can enter.
func privateFolder(server string, a *account) (string, error) {
	base, err := baseFolder(a)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(base, "twiceproof-"+server+"-")
	if err != nil {
		return "", fmt.Errorf("make the server's folder: %w", err)
	}
	if a != nil {
		if err := os.Chown(dir, int(a.uid), int(a.gid)); err != nil {
			return "", errors.Join(fmt.Errorf("hand over the server's folder: %w", err), os.Remove(dir))
		}
	}
	return dir, nil
}

// baseFolder is the folder for temporary files, or the first usual one whose
// parents another account can pass through when the server runs as one.
func baseFolder(a *account) (string, error) {
	if a == nil {
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
