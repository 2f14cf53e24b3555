package replay

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire"
)

func TestReadTrace(t *testing.T) {
	at := time.Unix(1796029951, 853132000)
	for text, want := range map[string]traceLine{
		`31567 1796029951.853132 pwrite64(3</t/case-1/lab.db-wal>, ""..., 24, 0) = 24`:                                     {call: "pwrite64", role: "wal", over: true},
		`31567 1796029951.853132 fsync(3</t/lab.db>)  = 0`:                                                                 {call: "fsync", role: "database", over: true},
		`31567 1796029951.853132 unlink("/t/lab.db-journal") = 0`:                                                          {call: "unlink", role: "journal", over: true},
		`31567 1796029951.853132 unlinkat(AT_FDCWD</home/jos\303\251>, "/t/lab.db-journal", 0) = -1 ENOENT (No such file)`: {call: "unlink", role: "journal", over: true, failed: true},
		`31567 1796029951.853132 fdatasync(3</t/lab.db-wal> <unfinished ...>`:                                              {call: "fdatasync", role: "wal"},
		`31567 1796029951.853132 <... fdatasync resumed>) = 0`:                                                             {over: true},
		`31567 1796029951.853132 <... fdatasync resumed>) = ?`:                                                             {over: true, failed: true},
		`31567 1796029951.853132 pwrite64(3</t/lab.db-wal>, ""..., 24, 0)          = ? <unavailable>`:                      {call: "pwrite64", role: "wal", over: true, failed: true},
		`31567 1796029951.853132 --- stopped by SIGSTOP ---`:                                                               {stopped: true},
	} {
		want.thread, want.at = 31567, at
		if got, ok := readTrace(text); !ok || got != want {
			t.Errorf("%s: %+v, %t", text, got, ok)
		}
	}
	for _, text := range []string{
		"", "strace: Process 31567 attached", "31567 1796029951.853132 +++ killed by SIGKILL +++",
		"31567 1796029951.853132 --- SIGSTOP {si_signo=SIGSTOP, si_code=SI_KERNEL} ---",
		`31567 1796029951.853132 write(1</t/lab.db.log>, ""..., 3) = 3`, `31567 1796029951.853132 ftruncate(3</t/lab.db-shm>, 32768) = 0`,
	} {
		if got, ok := readTrace(text); ok {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// A write is counted when it has ended, over all threads, and only where it went well.
func TestFileSteps(t *testing.T) {
	f := newFileSteps()
	var got []string
	for i, l := range []traceLine{
		{thread: 1, call: "pwrite64", role: "wal", over: true},
		{thread: 2, call: "fsync", role: "wal"},
		{thread: 1, call: "pwrite64", role: "wal", over: true, failed: true},
		{thread: 1, stopped: true},
		{thread: 3, over: true}, // began before strace was there
		{thread: 1, call: "pwrite64", role: "database", over: true},
		{thread: 2, over: true},
		{thread: 3, call: "pwrite64", role: "wal", over: true},
		{thread: 3, over: true},
	} {
		l.at = time.Unix(int64(i), 0)
		if at, s, ended := f.take(l); ended {
			got = append(got, s.String())
			if want := map[bool]int64{true: 1, false: int64(i)}[s.Text == "fsync wal"]; at.Unix() != want {
				t.Errorf("%s stands at %d", s, at.Unix())
			}
		}
	}
	if want := []string{"database pwrite64 wal #1", "database pwrite64 database #1", "database fsync wal #1", "database pwrite64 wal #2"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// inFiles is a recorded run: a line with a colon is said on a wire.
func inFiles(lines ...string) (steps []recordedStep) {
	for _, line := range lines {
		s := recordedStep{Step: wire.Step{Protocol: protocolFile, Peer: judge.PeerDatabase, Text: line}}
		if peer, text, onWire := strings.Cut(line, ": "); onWire {
			s = recordedStep{wire.Step{Peer: peer, Text: text}, true}
		}
		steps = append(steps, s)
	}
	marksFiles(steps)
	return steps
}

func TestFilePlaces(t *testing.T) {
	for _, c := range []struct {
		name  string
		rung  judge.Rung
		steps []recordedStep
		want  []string
	}{
		{"wal", judge.Durable, inFiles("pwrite64 wal", "fsync wal", "pwrite64 wal", "fsync wal", "outside: POST /", "queue: DeleteMessage"), []string{"write-2-after", "write-4-after", "1-before", "1-after", "2-after"}},
		{"wal that is not synced", judge.Durable, inFiles("pwrite64 wal", "pwrite64 wal", "queue: DeleteMessage", "pwrite64 wal"), []string{"write-2-after", "1-before", "1-after", "write-3-after"}},
		{"journal", judge.Durable, inFiles("pwrite64 journal", "fdatasync journal", "pwrite64 database", "fdatasync database", "unlink journal", "pwrite64 journal", "queue: DeleteMessage"), []string{"write-2-after", "write-4-after", "write-5-after", "write-6-after", "1-before", "1-after"}},
		{"all of them", judge.Step, inFiles("pwrite64 wal", "fsync wal", "outside: POST /"), []string{"write-1-after", "write-2-after", "1-before", "1-after"}},
		{"no connection to cut", judge.Cut, inFiles("pwrite64 wal", "fsync wal"), nil},
		{"paused where a state begins", judge.Pause, inFiles("pwrite64 wal", "fsync wal", "outside: POST /"), []string{"write-2-after", "1-before", "1-after"}},
	} {
		if got := names(places(c.rung, c.steps)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
