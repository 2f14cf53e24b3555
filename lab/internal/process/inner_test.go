package process

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReason(t *testing.T) {
	out := []byte("1\n2 [ERROR] bad\n3\n4\n5\n6\n7\n8 [ERROR] stop\n9\n\n")
	for complaint, want := range map[string]string{
		"":        "5; 6; 7; 8 [ERROR] stop; 9",
		"[ERROR]": "2 [ERROR] bad; 8 [ERROR] stop",
		"FATAL":   "5; 6; 7; 8 [ERROR] stop; 9",
	} {
		if got := reason(out, complaint); got != want {
			t.Errorf("with %q: %q, want %q", complaint, got, want)
		}
	}
}

func TestTraversable(t *testing.T) {
	temp := t.TempDir()
	if err := os.Chmod(filepath.Dir(temp), 0o755); err != nil {
		t.Fatal(err)
	}
	closed := filepath.Join(temp, "closed")
	inside := filepath.Join(closed, "inside")
	if err := os.MkdirAll(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	if !traversable(inside) {
		t.Skip("the temporary folder itself cannot be entered by others")
	}
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	if traversable(inside) {
		t.Error("a folder below a closed one passed")
	}
}
