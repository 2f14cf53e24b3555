package replay

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay/records"
	"github.com/twiceproof/twiceproof/wire"
)

// databaseServer is the throw-away server of a replay; SQLite has none.
type databaseServer interface {
	// create makes a case's own database with the schema's tables, and gives its address
	// as the record reader and as the workers' variable have it.
	create(ctx context.Context, name string) (dsn, address string, err error)
	// listen puts a worker's own proxy in front of it.
	listen(gate *wire.Gate) (databaseProxy, error)
	stop()
}

// databaseProxy is one worker's way to the server.
type databaseProxy interface {
	proxy
	Addr() string
	Refuse() // it is as if the server could not be reached
	Admit()  // ends that
}

func (l *lab) startDatabase(ctx context.Context) error {
	switch l.Spec.Database.Kind {
	case jobfile.Postgres:
		return l.startPostgres(ctx)
	case jobfile.MySQL:
		return l.startMySQL(ctx)
	}
	return nil
}

// notStarted makes a problem of a server whose programs are not installed.
func notStarted(err error) error {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return &hinted.Error{What: err.Error(), Hint: h.Hint()}
	}
	return err
}

// apply makes the schema's tables in a database, and says what its server is.
func (l *lab) apply(ctx context.Context, dsn string) (version string, err error) {
	db, err := records.Open(string(l.Spec.Database.Kind), dsn, l.Table)
	if err != nil {
		return "", err
	}
	defer db.Close()
	if err := db.Apply(ctx, l.schema); err != nil {
		return "", &hinted.Error{What: "the schema cannot be applied: " + err.Error(), Hint: "check the files of database.schema against the kind of database"}
	}
	if l.server == nil {
		return "", nil
	}
	return db.ServerVersion(ctx), nil
}

// database is one case's own: its address, as the record reader and as the workers'
// variable have it.
type database struct {
	dsn, address string
	err          error
}

// sqliteName is the file of a case's database.
const sqliteName = "lab.db"

// newDatabase makes one; where it is a file, it is in the folder.
func (l *lab) newDatabase(ctx context.Context, folder string) (d database) {
	if l.server != nil {
		d.dsn, d.address, d.err = l.server.create(ctx, fmt.Sprintf("case_%d", l.nextDatabase()))
		return d
	}
	path := filepath.Join(folder, sqliteName)
	_, err := l.apply(ctx, path)
	return database{path, "sqlite://" + path, err}
}

// database is the one that was made ahead, or else a new one.
func (s *slot) database(ctx context.Context, folder string) database {
	if s.ahead == nil {
		return s.newDatabase(ctx, folder)
	}
	d := <-s.ahead
	s.ahead = nil
	return d
}

// makeAhead makes the next case's database: a server takes longer to copy one than a
// worker takes for its job. A file is made at once and stands in its case's folder.
func (s *slot) makeAhead(ctx context.Context) {
	if s.server == nil {
		return
	}
	ahead := make(chan database, 1)
	s.ahead = ahead
	go func() { ahead <- s.newDatabase(ctx, "") }()
}

func (l *lab) close() {
	if l.server != nil {
		l.server.stop()
	}
}
