package mariadb

import (
	"context"
	"database/sql"
	"net"
	"strconv"

	"github.com/go-sql-driver/mysql"

	"github.com/twiceproof/twiceproof/lab/internal/process"
)

const superuser = "root"

// kind is what MariaDB's processes need to know of themselves.
var kind = process.Kind{
	Name:      "MariaDB",
	Accounts:  []string{"mysql"},
	PIDFile:   "server.pid",
	Complaint: "[ERROR]",
}

// install makes the first files: the system tables and a root account.
func (s *Server) install(ctx context.Context) error {
	if s.programs.install == "" {
		return s.installMySQL(ctx)
	}
	return s.group.Run(ctx, s.programs.install, append([]string{
		"--no-defaults", // has to be the first
		"--datadir=" + s.data(),
		"--auth-root-authentication-method=normal",
		"--skip-test-db",
		"--skip-name-resolve",
	}, s.common()...)...)
}

// installMySQL: its own root account is for localhost only, a name that we do
// not resolve.
func (s *Server) installMySQL(ctx context.Context) error {
	const account = "CREATE USER root@127.0.0.1; GRANT ALL ON *.* TO root@127.0.0.1 WITH GRANT OPTION;\n"
	if err := s.group.WriteFile("account.sql", account); err != nil {
		return err
	}
	return s.group.Run(ctx, s.programs.server, append([]string{
		"--no-defaults", "--initialize-insecure",
		"--datadir=" + s.data(),
		"--init-file=" + s.group.Path("account.sql"),
	}, s.common()...)...)
}

// common are the options of the first files and of the server. Those that are
// loose are not known to every version.
func (s *Server) common() []string {
	args := []string{
		"--character-set-server=utf8mb4",
		"--innodb-buffer-pool-size=32M",
		"--loose-innodb-log-file-size=16M",
		"--innodb-flush-log-at-trx-commit=2", // written, not synced: with 0 a commit of the last second is lost by Restart
		"--innodb-doublewrite=OFF",
		"--performance-schema=OFF",
		"--skip-log-bin",
		"--sync-binlog=0",
		"--loose-debug-no-sync",
	}
	for _, setting := range s.settings { // the last one of a name counts
		args = append(args, "--"+setting)
	}
	return args
}

func (s *Server) args(port int) ([]string, error) {
	return append([]string{
		"--no-defaults", // has to be the first
		"--datadir=" + s.data(),
		"--pid-file=" + s.pidFile(),
		"--bind-address=127.0.0.1",
		"--port=" + strconv.Itoa(port),
		"--socket=",
		"--loose-mysqlx=OFF", // MySQL's second port
		"--skip-name-resolve",
		"--max-connections=200",
		"--default-time-zone=+00:00",
		"--innodb-fast-shutdown=2", // Stop throws the files away
		"--innodb-buffer-pool-dump-at-shutdown=OFF",
		"--innodb-buffer-pool-load-at-startup=OFF",
	}, s.common()...), nil
}

// answers asks for the process id's file, which no other server has.
func (s *Server) answers(ctx context.Context) error {
	db, err := s.open("")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	var file string
	if err := db.QueryRowContext(ctx, "SELECT @@pid_file").Scan(&file); err != nil {
		return err
	}
	if file != s.pidFile() {
		return process.ErrPortTaken
	}
	return nil
}

func (s *Server) open(database string) (*sql.DB, error) {
	config := s.config(database)
	config.Logger = &mysql.NopLogger{} // errors are returned as well, and many are expected before it is ready
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

func (s *Server) config(database string) *mysql.Config {
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr = superuser, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port()))
	c.DBName, c.ParseTime = database, true
	return c
}

func (s *Server) data() string    { return s.group.Path("data") }
func (s *Server) pidFile() string { return s.group.Path("server.pid") }
