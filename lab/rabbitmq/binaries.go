package rabbitmq

import (
	"github.com/twiceproof/twiceproof/lab/internal/process"
)

// NotInstalledError says that the broker was not found.
type NotInstalledError = process.NotInstalledError

// installers are package managers and the line that brings the broker.
var installers = []process.Installer{
	{Program: "brew", Line: "brew install rabbitmq"},
	{Program: "apt-get", Line: "sudo apt-get install rabbitmq-server   (its own broker need not run: sudo systemctl disable --now rabbitmq-server epmd.socket epmd)"},
	{Program: "dnf", Line: "sudo dnf install rabbitmq-server"},
	{Program: "apk", Line: "sudo apk add rabbitmq-server"},
	{Program: "pacman", Line: "sudo pacman -S rabbitmq"},
}

const otherwise = "install RabbitMQ 3.8 or later and put its rabbitmq-server and Erlang's epmd on the PATH: https://www.rabbitmq.com/docs/download"

// brokerPlaces come before the PATH: what Debian and Fedora have there is a wrapper
// that goes over to the machine's own account, folder and settings.
var brokerPlaces = []string{
	"/usr/lib/rabbitmq/bin",
	"/usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin",
	"/usr/local/lib/rabbitmq/lib/rabbitmq_server-*/sbin",
	"/opt/homebrew/opt/rabbitmq/sbin",
	"/usr/local/opt/rabbitmq/sbin",
	"/home/linuxbrew/.linuxbrew/opt/rabbitmq/sbin",
	"/opt/rabbitmq/sbin",
}

var usualPlaces = process.UsualPlaces(
	"/usr/bin",
	"/usr/local/bin",
	"/usr/lib/erlang/bin",
	"/usr/lib/erlang/erts-*/bin",
	"/usr/lib64/erlang/erts-*/bin",
	"/opt/homebrew/opt/erlang*/bin",
	"/usr/local/opt/erlang*/bin",
	"/opt/homebrew/opt/erlang*/lib/erlang/erts-*/bin",
	"/usr/local/opt/erlang*/lib/erlang/erts-*/bin",
	"/home/linuxbrew/.linuxbrew/opt/erlang*/bin",
)

// programs are the broker's own start script, and Erlang's two programs that it
// needs: the virtual machine, and the daemon that knows the names of nodes.
type programs struct{ server, erl, epmd string }

func find(p process.Places, broker []string) (programs, error) {
	first := process.Places{LookPath: p.LookPath, Globs: append(broker, p.Globs...)}
	found := programs{server: first.FindBelow("rabbitmq-server"), erl: p.Find("erl"), epmd: p.Find("epmd")}
	if found.server == "" {
		found.server = p.Find("rabbitmq-server")
	}
	if found.server != "" && found.erl != "" && found.epmd != "" {
		return found, nil
	}
	return programs{}, &NotInstalledError{
		Missing: "RabbitMQ programs (rabbitmq-server, erl, epmd)",
		Looked:  first.Looked(),
		Line:    process.InstallLine(p.LookPath, installers, otherwise),
	}
}
