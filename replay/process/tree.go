package process

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// tree is a process group and all descendants of its members, also those that have
// left the group (setsid). Where there is no /proc it is the group alone. A daemon
// that had detached before, whose parent was gone when the tree was first looked
// at, is not in it.
type tree struct {
	group int
	left  map[int]string // descendants outside the group: when each started, by its number
}

// stop stops them all, so that none starts another one while it is looked for. The
// worker is about to be killed: it cannot tell.
func (t *tree) stop() {
	t.left = map[int]string{}
	_ = syscall.Kill(-t.group, syscall.SIGSTOP) // ESRCH: gone already
	for found := true; found; {
		found = false
		for pid, s := range t.descendants(processes()) {
			if t.left[pid] != s.started && s.group != t.group {
				t.left[pid], found = s.started, true
				_ = syscall.Kill(pid, syscall.SIGSTOP)
			}
		}
	}
}

func (t *tree) kill() {
	_ = syscall.Kill(-t.group, syscall.SIGKILL) // ESRCH: gone already
	if len(t.left) == 0 {
		return
	}
	now := processes()
	for pid, started := range t.left {
		if now[pid].started == started {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// alive tells whether one of them is still there. One that was killed and not yet
// reaped by its own parent counts as gone: it runs no more.
func (t *tree) alive() bool {
	if len(t.left) == 0 && errors.Is(syscall.Kill(-t.group, 0), syscall.ESRCH) {
		return false
	}
	for pid, s := range processes() {
		if s.group == t.group || t.left[pid] == s.started {
			return true
		}
	}
	return false // also without /proc: the leader was waited for, and that has to do
}

// descendants are the members of the group and all below them and below those that
// were found before.
func (t *tree) descendants(all map[int]stat) map[int]stat {
	in := maps.Clone(all)
	maps.DeleteFunc(in, func(pid int, s stat) bool { return s.group != t.group && t.left[pid] != s.started })
	for grown := true; grown; {
		grown = false
		for pid, s := range all {
			_, child := in[s.parent]
			if _, known := in[pid]; child && !known {
				in[pid], grown = s, true
			}
		}
	}
	return in
}

// All are the numbers of the process, its group and all below them that run.
func (p *Process) All() []int {
	t := tree{group: p.Pid}
	return slices.Collect(maps.Keys(t.descendants(processes())))
}

// StartOf is when a process started, as the kernel counts; 0 where that cannot be told.
func StartOf(pid int) string {
	if s, ok := readStat(oneRead(procFile(pid, "stat"))); ok && !s.ended {
		return s.started
	}
	return "0"
}

// stat is what /proc/<pid>/stat says of a process.
type stat struct {
	parent, group int
	started       string // a number is used again, but not with the same start
	ended         bool   // a zombie: its parent has not asked for its end yet
}

// processes are those that run. A zombie does not.
func processes() map[int]stat {
	all := allProcesses()
	maps.DeleteFunc(all, func(_ int, s stat) bool { return s.ended })
	return all
}

func allProcesses() map[int]stat {
	all := map[int]stat{}
	entries, _ := os.ReadDir("/proc") // none: no processes to be seen
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if s, ok := readStat(oneRead(procFile(pid, "stat"))); ok {
			all[pid] = s
		}
	}
	return all
}

// oneRead reads the begin of a short file, with as few calls as there can be: there is one
// for each process of the machine, and they are read at each kill. Empty where it is gone.
func oneRead(path string) string {
	var text [1024]byte
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer syscall.Close(fd)
	n, _ := syscall.Read(fd, text[:]) // an error leaves nothing that could be a stat
	return string(text[:max(0, n)])
}

func procFile(pid int, name string) string { return "/proc/" + strconv.Itoa(pid) + "/" + name }

// readStat reads: pid (name) state parent group … with the start as the 22nd. The
// name may hold spaces and brackets.
func readStat(text string) (stat, bool) {
	end := strings.LastIndex(text, ") ")
	if end < 0 {
		return stat{}, false
	}
	fields := strings.Fields(text[end+2:])
	if len(fields) < 20 {
		return stat{}, false
	}
	parent, noParent := strconv.Atoi(fields[1])
	group, noGroup := strconv.Atoi(fields[2])
	ended := slices.Contains([]string{"Z", "X"}, fields[0])
	return stat{parent: parent, group: group, started: fields[19], ended: ended}, noParent == nil && noGroup == nil
}
