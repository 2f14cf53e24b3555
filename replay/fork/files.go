package fork

import (
	"embed"
	"os"
	"path/filepath"
)

//go:embed *.py *.rb
var forkFiles embed.FS

func writeForkFiles(folder string) error {
	entries, err := forkFiles.ReadDir(".")
	for _, e := range entries {
		text, _ := forkFiles.ReadFile(e.Name()) // it is in this program
		if err = os.WriteFile(filepath.Join(folder, e.Name()), text, 0o600); err != nil {
			return err
		}
	}
	return err
}
