package redis

import (
	"fmt"
	"strings"

	"github.com/twiceproof/twiceproof/lab/internal/process"
)

const settingsFile = "redis.conf"

// args writes the settings file, which also tells this server from any other.
func (s *Server) args(port int) ([]string, error) {
	err := s.group.WriteFile(settingsFile, text(port, s.group, s.settings))
	return []string{s.group.Path(settingsFile)}, err
}

// text is the settings file. The last line of a name counts.
func text(port int, g *process.Group, settings []string) string {
	return fmt.Sprintf(`bind 127.0.0.1
port %d
unixsocket ""
dir %s
pidfile %s
daemonize no
save ""
appendonly no
appendfsync no
%s
`, port, quoted(g.Dir), quoted(g.Path(kind.PIDFile)), strings.Join(settings, "\n"))
}

// quoted is a path that may have blanks in it.
func quoted(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}
