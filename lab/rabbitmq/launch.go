package rabbitmq

import (
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// nodeName is this broker's alone: it also tells it from any other.
func nodeName() string { return "twiceproof-" + strings.ToLower(rand.Text()[:10]) + "@localhost" }

// launchScript starts epmd, waits until it answers, and becomes the broker. The epmd
// of a killed broker goes first. One that ends, since its port was taken, leaves a
// file: to "kill -0" a child that nobody has waited for is still there. The files have
// the port in their names, as the epmd that goes writes its own only now. The broker's
// own script would stay as its parent, and turn a signal into a slow "rabbitmqctl
// stop", unless it is told that somebody else, such as systemd, looks after it.
const launchScript = `
for old in epmd.*.pid; do
	[ ! -e "$old" ] || [ -e "${old%.pid}.ended" ] || kill -KILL "$(cat "$old")"
done
export NAME="epmd.$ERL_EPMD_PORT"
(
	sh -c 'echo $$ >"$NAME.pid"; exec "$EPMD" -port "$ERL_EPMD_PORT" -address "$ERL_EPMD_ADDRESS"'
	: >"$NAME.ended"
) &
until "$EPMD" -names >/dev/null 2>&1; do
	[ ! -e "$NAME.ended" ] || exit 1
	sleep 0.01
done
export RUNNING_UNDER_SYSTEMD=true
exec "$SERVER"
`

// args runs the script with an environment: the broker takes its settings so. The
// ports of epmd and of the distribution are new ones each time, since nobody else
// needs to know them.
func (s *Server) args(port int) ([]string, error) {
	epmd, err := s.free.inner()
	if err != nil {
		return nil, err
	}
	distribution, err := s.free.inner()
	if err != nil {
		return nil, err
	}
	args := []string{"-c", `exec env "$@"`, "env"}
	args = append(args, s.environment(port, epmd, distribution)...)
	return append(args, "/bin/sh", "-c", launchScript), nil
}

func (s *Server) environment(port, epmd, distribution int) []string {
	path := s.group.Path
	return []string{
		"PATH=" + filepath.Dir(s.programs.erl) + ":/usr/bin:/bin:/usr/sbin:/sbin",
		"EPMD=" + s.programs.epmd,
		"SERVER=" + s.programs.server,
		"ERL_EPMD_PORT=" + strconv.Itoa(epmd),
		"ERL_EPMD_ADDRESS=127.0.0.1",
		"ERL_AFLAGS=-start_epmd false",
		"ERL_CRASH_DUMP_BYTES=0",
		"RABBITMQ_NODENAME=" + s.node,
		"RABBITMQ_NODE_IP_ADDRESS=127.0.0.1",
		"RABBITMQ_NODE_PORT=" + strconv.Itoa(port),
		"RABBITMQ_DIST_PORT=" + strconv.Itoa(distribution),
		"RABBITMQ_MNESIA_BASE=" + path("data"),
		"RABBITMQ_LOG_BASE=" + path("log"),
		"RABBITMQ_LOGS=-", // to the output, where the reason of a failure is looked for
		"RABBITMQ_LOG=error",
		"RABBITMQ_PID_FILE=" + path(kind.PIDFile),
		"RABBITMQ_ENABLED_PLUGINS_FILE=" + path(emptyList),
		"RABBITMQ_CONF_ENV_FILE=" + path(emptyFile),
		"RABBITMQ_CONFIG_FILE=" + path(settingsFile),
		"RABBITMQ_ADVANCED_CONFIG_FILE=" + path(emptyList),
		"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=" + erlArgs,
	}
}

// erlArgs: one scheduler that does not spin while it waits, since the broker shares
// the processor with the worker under test; the distribution on loopback only.
const erlArgs = "+S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none -kernel inet_dist_use_interface {127,0,0,1}"

const (
	settingsFile = "rabbitmq.conf"
	emptyFile    = "empty"
	emptyList    = "empty.config" // a list in Erlang: no plugins, no settings
)

// writeSettings writes what the broker reads. Without settings there is no file, as
// the broker would take half a second to read even an empty one.
func (s *Server) writeSettings() error {
	if err := s.group.WriteFile(emptyList, "[].\n"); err != nil {
		return err
	}
	if err := s.group.WriteFile(emptyFile, ""); err != nil {
		return err
	}
	if len(s.settings) == 0 {
		return nil
	}
	return s.group.WriteFile(settingsFile, fmt.Sprintln(strings.Join(s.settings, "\n")))
}
