package mariadb

import (
	"github.com/twiceproof/twiceproof/lab/internal/process"
)

// NotInstalledError says that no server programs were found.
type NotInstalledError = process.NotInstalledError

// installers are package managers and the line that brings the server programs.
var installers = []process.Installer{
	{Program: "brew", Line: "brew install mariadb"},
	{Program: "apt-get", Line: "sudo apt-get install mariadb-server   (its own server need not run: sudo systemctl disable --now mariadb)"},
	{Program: "dnf", Line: "sudo dnf install mariadb-server"},
	{Program: "apk", Line: "sudo apk add mariadb"},
	{Program: "pacman", Line: "sudo pacman -S mariadb"},
}

const otherwise = "install MariaDB 10.6 or later and put its mariadbd and mariadb-install-db on the PATH: https://mariadb.org/download/"

var usualPlaces = process.UsualPlaces(
	"/usr/sbin",
	"/usr/bin",
	"/usr/libexec",
	"/usr/local/sbin",
	"/usr/local/mysql/bin",
	"/opt/homebrew/opt/mariadb*/bin",
	"/usr/local/opt/mariadb*/bin",
	"/home/linuxbrew/.linuxbrew/opt/mariadb*/bin",
	"/opt/homebrew/opt/mysql*/bin",
	"/usr/local/opt/mysql*/bin",
)

// programs are the server and what makes its first files; an empty install
// means that the server does so itself, as MySQL's does.
type programs struct{ server, install string }

func find(p process.Places) (programs, error) {
	install := p.Find("mariadb-install-db", "mysql_install_db")
	names := []string{"mysqld"}
	if install != "" {
		names = []string{"mariadbd", "mysqld"}
	}
	if server := p.Find(names...); server != "" {
		return programs{server, install}, nil
	}
	return programs{}, &NotInstalledError{
		Missing: "MariaDB server programs (mariadbd, mariadb-install-db)",
		Looked:  p.Looked(),
		Line:    process.InstallLine(p.LookPath, installers, otherwise),
	}
}
