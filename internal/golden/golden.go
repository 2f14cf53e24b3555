// Package golden holds what a test got against a file that is read by people.
//
// Hard rule: only tests import it.
package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

// Update is set by -update: the files are written anew, for the difference to be read.
var Update = flag.Bool("update", false, "write the golden files anew")

// Check compares with the file at the path below the test's package.
func Check(t testing.TB, path string, got []byte) {
	t.Helper()
	if *Update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs: run this test with -update and read the difference; got:\n%s", path, got)
	}
}
