package mysqlwire_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// clients insert a row into the table of a database at host:port, and trust the authority of
// a file.
var clients = map[string]func(t *testing.T, host, port, database, ca string) *exec.Cmd{
	"mariadb": func(t *testing.T, host, port, database, ca string) *exec.Cmd {
		wiretest.Needs(t, "mariadb", "--version")
		return exec.Command("mariadb", "--no-defaults", "-h", host, "-P", port, "-u", "root", "--ssl-ca="+ca, "--ssl-verify-server-cert", database, "-e", "INSERT INTO t VALUES (7, 'a')")
	},
	"PyMySQL": func(t *testing.T, host, port, database, ca string) *exec.Cmd {
		return exec.Command(wiretest.Python(t, "pymysql"), "-c", `
import pymysql, sys
host, port, name, ca = sys.argv[1:]
with pymysql.connect(host=host, port=int(port), user="root", database=name, ssl_ca=ca, ssl_verify_cert=True, ssl_verify_identity=True) as c:
    c.cursor().execute("INSERT INTO t VALUES (7, 'a')")
    c.commit()`, host, port, database, ca)
	},
	"mysql2": func(t *testing.T, host, port, database, ca string) *exec.Cmd {
		return exec.Command(wiretest.Ruby(t, "mysql2"), "-e", `
require "mysql2"
host, port, name, ca = ARGV
Mysql2::Client.new(host: host, port: port.to_i, username: "root", database: name, sslca: ca, sslverify: true, ssl_mode: :verify_identity).query("INSERT INTO t VALUES (7, 'a')")`,
			host, port, database, ca)
	},
}

// Each client's row comes through within TLS, as the step that it is in clear text. By another
// authority it writes none, and so does one that insists where TLS is not offered.
func TestTLS(t *testing.T) {
	for name, client := range clients {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			authority, ca := wiretest.Authority(t)
			_, other := wiretest.Authority(t)
			insert := func(ca string) error {
				host, port, _ := strings.Cut(s.proxy.Addr(), ":")
				out, err := client(t, host, port, database(t, s), ca).CombinedOutput()
				t.Logf("%v: %s", err, out)
				return err
			}
			insists := name != "mysql2" // Debian's has no ssl_mode
			err := insert(ca)
			if (err != nil) != insists || insists && !errors.Is(wiretest.WhyUnsecured(s.proxy), wire.ErrDeclined) || !insists && s.proxy.WhyUnsecured() != nil {
				t.Errorf("not offered: %v; the proxy says %v", err, s.proxy.WhyUnsecured())
			}
			execOn(t, s.direct, "DELETE FROM t")
			s.offer = authority.Config("127.0.0.1")
			s.listen(t)
			if err := insert(ca); err != nil || s.count(t) != 1 || s.proxy.WhyUnsecured() != nil {
				t.Errorf("offered: %v, %d rows; the proxy says %v", err, s.count(t), s.proxy.WhyUnsecured())
			}
			if steps := strings.Join(s.Steps(), "\n"); !strings.Contains(steps, "INSERT INTO t VALUES (?, ?) [INSERT 1 ") {
				t.Errorf("steps %s", steps)
			}
			refused := (*wire.TLSError)(nil)
			if err := insert(other); err == nil || s.count(t) != 1 {
				t.Errorf("another authority was trusted: %v", err)
			}
			if !errors.As(wiretest.WhyUnsecured(s.proxy), &refused) {
				t.Errorf("the proxy says %v", s.proxy.WhyUnsecured())
			}
		})
	}
}

// Passwords go back and forth while a worker logs in, by another method too; after that its
// numbers are the server's again. A kill strikes where it strikes in clear text.
func TestLoginWithinTLS(t *testing.T) {
	s := start(t)
	authority, _ := wiretest.Authority(t)
	s.offer = authority.Config("127.0.0.1")
	s.listen(t)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority.PEM())
	if err := mysql.RegisterTLSConfig("ours", &tls.Config{RootCAs: roots}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mysql.DeregisterTLSConfig("ours") })
	execOn(t, s.direct, "CREATE OR REPLACE USER secured@'%' IDENTIFIED BY 'secret'")
	t.Cleanup(func() { _, _ = s.direct.ExecContext(context.Background(), "DROP USER secured@'%'") })
	execOn(t, s.direct, "GRANT ALL ON "+database(t, s)+".* TO secured@'%'")
	config, err := mysql.ParseDSN(with(t, s.proxied, "tls=ours"))
	if err != nil {
		t.Fatal(err)
	}
	config.User, config.Passwd = "secured", "wrong"
	if _, err := open(t, config.FormatDSN()); number(err) != 1045 {
		t.Errorf("a wrong password: %v", err)
	}
	config.Passwd = "secret"
	conn := connect(t, config.FormatDSN())
	execOn(t, conn, insert, 1, "a")
	execOn(t, conn, insert, 2, "b")
	a := s.gate.Arm(wire.Fault{Match: text(insert), Side: wire.After, Do: wire.Drop})
	if _, err := conn.ExecContext(t.Context(), insert, 3, "c"); err == nil || number(err) != 0 {
		t.Errorf("the worker has heard: %v", err)
	}
	<-a.Fired()
	s.quiet(t)
	if n := s.count(t); n != 3 {
		t.Errorf("%d rows, want 3", n)
	}
}
