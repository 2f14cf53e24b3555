package report

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestOneReplayAFolder(t *testing.T) {
	e := Evidence{Folder: filepath.Join(t.TempDir(), "evidence", "charge.create")}
	release, err := e.Lock()
	noError(t, err)
	if _, err := e.Lock(); !errors.Is(err, ErrInUse) {
		t.Errorf("a second replay: %v", err)
	}
	part, err := Evidence{Folder: filepath.Join(e.Folder, "only")}.Lock()
	noError(t, err)
	part()
	release()
	again, err := e.Lock()
	noError(t, err)
	again()
	if left, err := os.ReadDir(e.Folder); err != nil || len(left) != 1 || left[0].Name() != "only" {
		t.Errorf("left %v, %v", left, err)
	}
}
