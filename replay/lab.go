package replay

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/replay/process"
	"github.com/twiceproof/twiceproof/wire"
)

// lab is what all cases of one replay share.
type lab struct {
	Request
	folder  string         // of this replay, removed at its end
	out     string         // where the builds go
	server  databaseServer // nil for SQLite
	schema  string         // the SQL that makes the tables
	secrets secrets
	forks   forks        // nil where all workers are started cold
	alone   sync.RWMutex // held by a case that runs alone; by the others for reading

	mu        sync.Mutex // for what the slots share
	worlds    int
	databases int
	busiest   map[string]time.Duration // how long the workers of a version were busy, at most, before they came to rest
	versions  map[string]string        // of the queue system

	telling sync.Mutex // who asked for the replay is told by one slot at a time

	filesSeen   bool   // the writes to SQLite's files
	filesUnseen string // why not, where every_step would strike at them

	serverVersion string
	authority     *wire.Authority // nil where no worker is to have TLS
}

func (l *lab) prepare(ctx context.Context, plan judge.Plan) error {
	if err := l.readSchema(); err != nil {
		return err
	}
	if err := l.makeAuthority(); err != nil {
		return err
	}
	if err := os.Mkdir(l.out, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(l.jobFile(), l.JobFileText, 0o644); err != nil { //nolint:gosec // the workers may run as another user
		return err
	}
	for _, v := range l.Spec.Versions {
		if uses(plan, v) {
			if err := l.build(ctx, v); err != nil {
				return err
			}
		}
	}
	l.trySeeingFiles(ctx, plan)
	return l.startDatabase(ctx)
}

func (l *lab) jobFile() string { return l.folder + "/twiceproof.yaml" }

// uses: a case of two versions needs the one without a guard, too.
func uses(plan judge.Plan, v jobfile.CodeVersion) bool {
	for _, p := range plan.Cases {
		if p.NotApplicable == "" && (p.Version == v.Name || !v.Guarded && p.Case == "old_and_new") {
			return true
		}
	}
	return false
}

func (l *lab) readSchema() error {
	for _, file := range l.Spec.Database.Schema {
		text, err := os.ReadFile(l.Spec.Resolve(file))
		if err != nil {
			return &hinted.Error{What: fmt.Sprintf("schema file %s cannot be read", file), Hint: "name it in database.schema as seen from the replay file's folder"}
		}
		l.schema += string(text) + "\n"
	}
	return nil
}

// A build that takes longer hangs.
const buildLimit = 10 * time.Minute

func (l *lab) build(ctx context.Context, v jobfile.CodeVersion) error {
	if v.Build == "" {
		return nil
	}
	l.progress(Progress{Building: v.Name})
	printed, err := process.Run(ctx, l.fill(v.Build), l.Spec.Resolve("."), l.buildEnviron(), buildLimit)
	if err != nil && ctx.Err() == nil {
		return &hinted.Error{What: fmt.Sprintf("the build of version %q failed: %v", v.Name, err), Hint: buildHint(v.Build, l.out), Output: tail(printed)}
	}
	return context.Cause(ctx)
}

// buildEnviron keeps what a compiler leaves behind when it is killed in the folder
// that is removed.
func (l *lab) buildEnviron() []string { return append(slices.Clone(l.Environ), "TMPDIR="+l.folder) }

func (l *lab) fill(command string) string { return strings.ReplaceAll(command, "{out}", l.out) }

func (l *lab) cannotSee() []string {
	see := []string{
		"calls that leave the worker by another way than its HTTP proxy variables",
		"calls to ports of this machine that are none of the stand-ins': the proxy variables leave them out",
		"files that the worker writes",
		watchedOnlySoLong,
	}
	if l.Spec.Database.Kind == jobfile.SQLite {
		see = append(see, l.filesText())
	}
	return see
}

func (l *lab) platform() map[string]string {
	p := map[string]string{}
	if l.server != nil {
		p[string(l.Spec.Database.Kind)] = l.serverVersion
	}
	if l.Slots > 1 {
		p["slots"] = strconv.Itoa(l.Slots)
	}
	return p
}

// tail is the end of what a program printed.
func tail(text string) string {
	const lines = 20
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
