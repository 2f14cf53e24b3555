package replay

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"github.com/twiceproof/twiceproof/replay/process"
)

// makeFolder makes the replay's temporary folder, and removes those that killed
// replays have left: whoever is killed by SIGKILL cannot do it. Its name tells whose
// it is: process namespace, number and start, since numbers are used again and two
// containers may share the folder above.
func makeFolder() (string, error) {
	removeDead(os.TempDir())
	self := os.Getpid()
	return os.MkdirTemp("", fmt.Sprintf("twiceproof-%s-%d-%s-", namespace(), self, process.StartOf(self)))
}

var ownFolder = regexp.MustCompile(`^twiceproof-(\d+)-(\d+)-(\d+)-\d+$`)

func removeDead(base string) {
	entries, _ := os.ReadDir(base) // what cannot be read cannot be removed either
	for _, e := range entries {
		name := ownFolder.FindStringSubmatch(e.Name())
		if name == nil || !e.IsDir() || name[1] != namespace() {
			continue
		}
		pid, err := strconv.Atoi(name[2])
		if info, statErr := e.Info(); err == nil && statErr == nil && ours(info) && !lives(pid, name[3]) {
			_ = os.RemoveAll(filepath.Join(base, e.Name()))
		}
	}
}

// ours: in a folder that all may write to, another account's is none of our business.
func ours(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}

// lives tells whether the process that made a folder is still there. Where its start
// cannot be told, whoever has its number counts as it.
func lives(pid int, started string) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	return process.StartOf(pid) == started
}

// namespace is the number of this process's namespace of process numbers; 0 where
// there are none.
func namespace() string {
	link, err := os.Readlink("/proc/self/ns/pid") // pid:[4026531836]
	if err != nil {
		return "0"
	}
	return strings.TrimSuffix(strings.TrimPrefix(link, "pid:["), "]")
}
