package redis

import (
	"github.com/twiceproof/twiceproof/lab/internal/process"
)

// NotInstalledError says that the server was not found.
type NotInstalledError = process.NotInstalledError

// installers are package managers and the line that brings the server.
var installers = []process.Installer{
	{Program: "brew", Line: "brew install redis"},
	{Program: "apt-get", Line: "sudo apt-get install redis-server   (its own server need not run: sudo systemctl disable --now redis-server)"},
	{Program: "dnf", Line: "sudo dnf install redis   (where that is not known: valkey)"},
	{Program: "apk", Line: "sudo apk add redis"},
	{Program: "pacman", Line: "sudo pacman -S valkey"},
}

const otherwise = "install Redis 6 or later and put its redis-server on the PATH: https://redis.io/docs/latest/operate/oss_and_stack/install/"

var usualPlaces = process.UsualPlaces(
	"/usr/bin",
	"/usr/local/bin",
	"/opt/homebrew/opt/redis/bin",
	"/usr/local/opt/redis/bin",
	"/home/linuxbrew/.linuxbrew/opt/redis/bin",
)

func find(p process.Places) (string, error) {
	if program := p.Find("redis-server", "valkey-server"); program != "" {
		return program, nil
	}
	return "", &NotInstalledError{
		Missing: "Redis server program (redis-server)",
		Looked:  p.Looked(),
		Line:    process.InstallLine(p.LookPath, installers, otherwise),
	}
}
