package replay

import (
	"context"
	"net"
	"strconv"

	"github.com/twiceproof/twiceproof/lab/postgres"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/pgwire"
)

type postgresServer struct{ *postgres.Server }

const templateDatabase = "twiceproof_template"

// startPostgres makes the server and a template with the tables, from which each case
// gets its own database.
func (l *lab) startPostgres(ctx context.Context) error {
	server, err := postgres.Start(ctx)
	if err != nil {
		return notStarted(err)
	}
	l.server = postgresServer{server}
	if err := server.CreateDatabase(ctx, templateDatabase, ""); err != nil {
		return err
	}
	l.serverVersion, err = l.apply(ctx, server.DSN(templateDatabase))
	return err
}

func (s postgresServer) create(ctx context.Context, name string) (dsn, address string, err error) {
	dsn = s.DSN(name)
	return dsn, dsn, s.CreateDatabase(ctx, name, templateDatabase)
}

func (s postgresServer) listen(gate *wire.Gate) (databaseProxy, error) {
	return pgwire.Listen(gate, judge.PeerDatabase, net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port())))
}

func (s postgresServer) stop() { _ = s.Stop() } // the folder and the processes are gone either way
