package pgbouncer

import "github.com/twiceproof/twiceproof/lab/internal/process"

// NotInstalledError says that PgBouncer was not found.
type NotInstalledError = process.NotInstalledError

// installers are package managers and the line that brings the program.
var installers = []process.Installer{
	{Program: "brew", Line: "brew install pgbouncer"},
	{Program: "apt-get", Line: "sudo apt-get install pgbouncer   (its own server need not run: sudo systemctl disable --now pgbouncer)"},
	{Program: "dnf", Line: "sudo dnf install pgbouncer"},
	{Program: "apk", Line: "sudo apk add pgbouncer"},
	{Program: "pacman", Line: "sudo pacman -S pgbouncer"},
}

const otherwise = "install PgBouncer 1.12 or later and put it on the PATH: https://www.pgbouncer.org/install.html"

var usualPlaces = process.UsualPlaces("/usr/sbin", "/usr/bin", "/usr/local/sbin", "/opt/homebrew/opt/pgbouncer/bin", "/usr/local/opt/pgbouncer/bin")

func find(p process.Places) (string, error) {
	if program := p.Find("pgbouncer"); program != "" {
		return program, nil
	}
	return "", &NotInstalledError{
		Missing: "PgBouncer program (pgbouncer)",
		Looked:  p.Looked(),
		Line:    process.InstallLine(p.LookPath, installers, otherwise),
	}
}
