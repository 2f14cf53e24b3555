package pgbouncer

import (
	"fmt"

	"github.com/twiceproof/twiceproof/lab/internal/process"
)

const (
	settingsFile = "pgbouncer.ini"
	usersFile    = "users.txt"

	superuser = "postgres" // lab/postgres has no other account
	users     = `"` + superuser + `" ""` + "\n"
)

// settings are the caller's.
type settings struct {
	serverPort int
	mode       string
	poolSize   int
}

// text is the settings file. A server that was restarted is tried again after a
// second instead of 15; drivers send extra_float_digits without being asked.
func (s settings) text(port int, g *process.Group) string {
	return fmt.Sprintf(`[databases]
* = host=127.0.0.1 port=%d

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
pidfile = %s
auth_type = trust
auth_file = %s
admin_users = %s
pool_mode = %s
default_pool_size = %d
max_client_conn = 500
server_login_retry = 1
ignore_startup_parameters = extra_float_digits
`, s.serverPort, port, g.Path(kind.PIDFile), g.Path(usersFile), superuser, s.mode, s.poolSize)
}
