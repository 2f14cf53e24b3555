package rabbitmq

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// processesOf are the programs that have a folder in their environment.
func processesOf(t *testing.T, dir string) (programs []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Skip("this system does not show the environment of processes")
	}
	for _, file := range all {
		environment, _ := os.ReadFile(file) // of a process that has ended, or is another account's
		if strings.Contains(string(environment), dir+"/") {
			name, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "comm"))
			programs = append(programs, strings.TrimSpace(string(name)))
		}
	}
	return programs
}

// listeners are the addresses on which the broker's processes listen, in hexadecimal.
func listeners(t *testing.T, s *Server) (addresses []string) {
	t.Helper()
	mine := socketsOf(t, s.group.Dir)
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(table)
		if err != nil {
			continue // no IPv6
		}
		for _, line := range strings.Split(string(text), "\n") {
			const listening = "0A"
			if f := strings.Fields(line); len(f) > 9 && f[3] == listening && mine["socket:["+f[9]+"]"] {
				addresses = append(addresses, f[1])
			}
		}
	}
	if len(addresses) < 3 { // AMQP, the distribution, epmd
		t.Errorf("listens on %v only", addresses)
	}
	return addresses
}

// socketsOf are the sockets of the processes that have a folder in their environment.
func socketsOf(t *testing.T, dir string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	environments, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range environments {
		if text, _ := os.ReadFile(file); !strings.Contains(string(text), dir+"/") {
			continue
		}
		descriptors, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "fd", "*"))
		for _, d := range descriptors {
			if target, err := os.Readlink(d); err == nil {
				all[target] = true
			}
		}
	}
	if len(all) == 0 {
		t.Skip("this system does not show the sockets of processes")
	}
	return all
}
