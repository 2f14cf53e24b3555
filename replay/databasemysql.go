package replay

import (
	"context"
	"database/sql"
	"net"
	"strconv"

	_ "github.com/go-sql-driver/mysql" // the driver "mysql"

	"github.com/twiceproof/twiceproof/lab/mariadb"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/mysqlwire"
)

type mysqlServer struct {
	*mariadb.Server
	lab *lab
	db  *sql.DB // the superuser's
}

// The workers' account may do everything in the cases' databases and nothing else, as
// an application's.
const (
	mysqlAccount       = "worker"
	createMySQLAccount = "CREATE USER " + mysqlAccount + "@'%'"
	grantMySQLAccount  = "GRANT ALL PRIVILEGES ON `case\\_%`.* TO " + mysqlAccount + "@'%'"
)

// startMySQL makes the server. It knows no templates: each case's database gets the
// schema's tables anew.
func (l *lab) startMySQL(ctx context.Context) error {
	server, err := mariadb.Start(ctx)
	if err != nil {
		return notStarted(err)
	}
	s := &mysqlServer{Server: server, lab: l}
	l.server = s
	if s.db, err = sql.Open("mysql", server.DSN("")); err != nil {
		return err
	}
	for _, statement := range []string{createMySQLAccount, grantMySQLAccount} {
		if _, err := s.db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	l.serverVersion, err = s.fill(ctx, "twiceproof_trial") // a schema that is wrong shows before anything has run
	return err
}

func (s *mysqlServer) create(ctx context.Context, name string) (dsn, address string, err error) {
	_, err = s.fill(ctx, name)
	return s.DSN(name), "mysql://" + mysqlAccount + "@" + s.address() + "/" + name, err
}

// fill makes a database with the schema's tables, and says what the server is.
func (s *mysqlServer) fill(ctx context.Context, name string) (version string, err error) {
	if err := s.CreateDatabase(ctx, name); err != nil {
		return "", err
	}
	return s.lab.apply(ctx, s.DSN(name))
}

func (s *mysqlServer) listen(gate *wire.Gate) (databaseProxy, error) {
	return mysqlwire.Listen(gate, judge.PeerDatabase, s.address(), s.db)
}

// address is a number: a client that is told localhost takes a Unix socket.
func (s *mysqlServer) address() string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port()))
}

func (s *mysqlServer) stop() {
	if s.db != nil {
		_ = s.db.Close()
	}
	_ = s.Stop() // the folder and the processes are gone either way
}
