package wiretest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
)

// Authority makes one, and a file with its certificate.
func Authority(t testing.TB) (authority *wire.Authority, file string) {
	t.Helper()
	authority, err := wire.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, authority.PEM(), 0o644); err != nil {
		t.Fatal(err)
	}
	return authority, file
}
