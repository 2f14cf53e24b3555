package replay

import (
	"context"
	"errors"
	"fmt"

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
		return &Problem{What: err.Error(), Hint: h.Hint()}
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
		return "", &Problem{What: "the schema cannot be applied: " + err.Error(), Hint: "check the files of database.schema against the kind of database"}
	}
	if l.server == nil {
		return "", nil
	}
	return db.ServerVersion(ctx), nil
}

// newDatabase makes the case's own database and gives its address, as the record
// reader and as the workers' variable have it.
func (l *lab) newDatabase(ctx context.Context, folder string) (dsn, address string, err error) {
	if l.server != nil {
		return l.server.create(ctx, fmt.Sprintf("case_%d", l.worlds))
	}
	path := folder + "/lab.db"
	_, err = l.apply(ctx, path)
	return path, "sqlite://" + path, err
}

func (l *lab) close() {
	_ = l.celery.Close()
	if l.server != nil {
		l.server.stop()
	}
}
