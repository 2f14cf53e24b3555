package replay

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/lab/postgres"
	"github.com/twiceproof/twiceproof/replay/records"
)

// lab is what all cases of one replay share.
type lab struct {
	Request
	folder   string // of this replay, removed at its end
	out      string // where the builds go
	postgres *postgres.Server
	schema   string // the SQL that makes the tables
	worlds   int
	busiest  map[string]time.Duration // how long the workers of a version were busy, at most, before they came to rest
	secrets  secrets
	versions map[string]string // of the queue system
}

const templateDatabase = "twiceproof_template"

func (l *lab) prepare(ctx context.Context, plan Plan) error {
	if err := l.readSchema(); err != nil {
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
	if l.Spec.Database.Kind == jobfile.Postgres {
		return l.startPostgres(ctx)
	}
	return nil
}

func (l *lab) jobFile() string { return l.folder + "/twiceproof.yaml" }

// uses: a case of two versions needs the one without a guard, too.
func uses(plan Plan, v jobfile.CodeVersion) bool {
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
			return &Problem{What: fmt.Sprintf("schema file %s cannot be read", file), Hint: "name it in database.schema as seen from the replay file's folder"}
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
	printed, err := runCommand(ctx, l.fill(v.Build), l.Spec.Resolve("."), l.buildEnviron(), buildLimit)
	if err != nil && ctx.Err() == nil {
		return &Problem{What: fmt.Sprintf("the build of version %q failed: %v", v.Name, err), Hint: "run the build command of the replay file by hand", Output: tail(printed)}
	}
	return context.Cause(ctx)
}

// buildEnviron keeps what a compiler leaves behind when it is killed in the folder
// that is removed.
func (l *lab) buildEnviron() []string { return append(slices.Clone(l.Environ), "TMPDIR="+l.folder) }

func (l *lab) fill(command string) string { return strings.ReplaceAll(command, "{out}", l.out) }

// startPostgres makes the throw-away server and a template with the tables, from
// which each case gets its own database.
func (l *lab) startPostgres(ctx context.Context) error {
	server, err := postgres.Start(ctx)
	if err != nil {
		var h interface{ Hint() string }
		if errors.As(err, &h) {
			return &Problem{What: err.Error(), Hint: h.Hint()}
		}
		return err
	}
	l.postgres = server
	if err := server.CreateDatabase(ctx, templateDatabase, ""); err != nil {
		return err
	}
	return l.apply(ctx, "postgres", server.DSN(templateDatabase))
}

func (l *lab) apply(ctx context.Context, kind, dsn string) error {
	db, err := records.Open(kind, dsn, l.Table)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.Apply(ctx, l.schema); err != nil {
		return &Problem{What: "the schema cannot be applied: " + err.Error(), Hint: "check the files of database.schema against the kind of database"}
	}
	return nil
}

// newDatabase makes the case's own database and gives its address, as the record
// reader and as the workers' variable have it.
func (l *lab) newDatabase(ctx context.Context, folder string) (dsn, address string, err error) {
	if l.postgres != nil {
		name := fmt.Sprintf("case_%d", l.worlds)
		if err := l.postgres.CreateDatabase(ctx, name, templateDatabase); err != nil {
			return "", "", err
		}
		return l.postgres.DSN(name), l.postgres.DSN(name), nil
	}
	path := folder + "/lab.db"
	return path, "sqlite://" + path, l.apply(ctx, "sqlite", path)
}

func (l *lab) close() {
	if l.postgres != nil {
		_ = l.postgres.Stop() // the folder and the processes are gone either way
	}
}

func (l *lab) cannotSee() []string {
	see := []string{
		"calls that leave the worker by another way than its HTTP proxy variables",
		"calls to ports of this machine that are none of the stand-ins': the proxy variables leave them out",
		"files that the worker writes",
		watchedOnlySoLong,
	}
	if l.Spec.Database.Kind == jobfile.SQLite {
		see = append(see, "the order of the database's own writes (SQLite has no wire); the record is read between them")
	}
	return see
}

func (l *lab) platform(ctx context.Context) map[string]string {
	p := maps.Clone(l.versions)
	if l.postgres != nil {
		p["postgres"] = l.postgresVersion(ctx)
	}
	return p
}

func (l *lab) postgresVersion(ctx context.Context) string {
	db, err := records.Open("postgres", l.postgres.DSN(templateDatabase), l.Table)
	if err != nil {
		return "unknown"
	}
	defer db.Close()
	return db.ServerVersion(ctx)
}

// tail is the end of what a program printed.
func tail(text string) string {
	const lines = 20
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
