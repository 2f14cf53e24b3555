package replay

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire"
)

// SQLite has no wire: its steps are what strace sees of the writes to its files.

// protocolFile is of the steps that are writes to the database's files.
const protocolFile = "file"

// writing are the calls by which SQLite changes its files, as strace is told them: one
// that the machine does not have is left out.
var writing = []string{"write", "pwrite64", "writev", "pwritev", "fsync", "fdatasync", "ftruncate", "unlink", "unlinkat"}

// The files of a database, by what they are called after its name. The -shm is mapped into
// memory, where nobody sees a write.
var fileRoles = map[string]string{"": "database", "-wal": "wal", "-journal": "journal"}

// traceLine is one line of strace: what a thread did, and when it began it.
type traceLine struct {
	thread  int
	at      time.Time
	call    string // with role: it has begun …
	role    string
	over    bool // … or it has ended, whether it had begun in this line or before
	failed  bool
	stopped bool // the thread stands still
}

var (
	traced  = regexp.MustCompile(`^(\d+) +(\d+)\.(\d{6}) (.*)$`)
	begun   = regexp.MustCompile(`^(\w+)\(.*/` + regexp.QuoteMeta(sqliteName) + `(|-wal|-journal)[>"]`)
	resumed = regexp.MustCompile(`^<\.\.\. \w+ resumed>`)
	failure = regexp.MustCompile(`\) += (-1 |\?)`)
)

// readTrace reads a line of strace -f -ttt -y -o; false where it tells nothing of a write.
func readTrace(text string) (l traceLine, ok bool) {
	m := traced.FindStringSubmatch(text)
	if m == nil {
		return l, false
	}
	l.thread, _ = strconv.Atoi(m[1])
	seconds, _ := strconv.ParseInt(m[2], 10, 64)
	micros, _ := strconv.ParseInt(m[3], 10, 64)
	l.at = time.Unix(seconds, micros*int64(time.Microsecond))
	rest := m[4]
	if rest == "--- stopped by SIGSTOP ---" {
		l.stopped = true
		return l, true
	}
	if call := begun.FindStringSubmatch(rest); call != nil {
		l.call, l.role = strings.TrimSuffix(call[1], "at"), fileRoles[call[2]]
	}
	l.over = !strings.HasSuffix(rest, "<unfinished ...>")
	l.failed = failure.MatchString(rest)
	return l, l.call != "" || resumed.MatchString(rest)
}

// fileSteps makes steps of lines: a write counts when it has ended well, and stands at the
// time at which it began.
type fileSteps struct {
	begun map[int]traceLine // by the thread
	nth   map[wire.Step]int
}

func newFileSteps() fileSteps {
	return fileSteps{begun: map[int]traceLine{}, nth: map[wire.Step]int{}}
}

// take gives the step that has ended with the line, if one has.
func (f fileSteps) take(l traceLine) (at time.Time, s wire.Step, ended bool) {
	if l.call != "" {
		f.begun[l.thread] = l
	}
	first, ok := f.begun[l.thread]
	if !ok || !l.over {
		return at, s, false
	}
	delete(f.begun, l.thread)
	if l.failed {
		return at, s, false
	}
	s = wire.Step{Protocol: protocolFile, Peer: judge.PeerDatabase, Text: first.call + " " + first.role}
	f.nth[s]++
	n := f.nth[s]
	s.Nth = n
	return first.at, s, true
}

// marksFiles says which writes make a state of their own: a sync, the end of the journal,
// which is the COMMIT, and the last one before the worker says something on a wire or has
// nothing more to do. A kill does not take from a file what was written and not synced.
func marksFiles(steps []recordedStep) {
	for i, s := range steps {
		if s.Protocol != protocolFile {
			continue
		}
		call, role, _ := strings.Cut(s.Text, " ")
		steps[i].durable = slices.Contains([]string{"fsync", "fdatasync"}, call) ||
			role == "journal" && slices.Contains([]string{"unlink", "ftruncate"}, call) ||
			i+1 == len(steps) || steps[i+1].Protocol != protocolFile
	}
}

// placeAt counts writes to files by themselves, so that a place on a wire has the same
// name where no file is seen.
func placeAt(steps []recordedStep, i int, side wire.Side) place {
	p := place{step: steps[i].Step, side: side}
	for _, s := range steps[:i+1] {
		if (s.Protocol == protocolFile) == (p.step.Protocol == protocolFile) {
			p.n++
		}
	}
	return p
}
