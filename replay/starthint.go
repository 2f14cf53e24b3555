package replay

import (
	"errors"
	"os/exec"
	"strings"
)

// startHint tells what is known to be behind an end so early, by the shell's own
// statuses and the words of the system.
func startHint(err error, printed string) string {
	printed = strings.ToLower(printed)
	status := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		status = exit.ExitCode()
	}
	switch {
	case strings.Contains(printed, "address already in use"):
		return "another program has that port, or two workers of this replay share it: write {port} in the run command to give each its own"
	case err == nil:
		return "a worker must run in the foreground until it is told to stop: leave out options such as --daemon, and a lone & at the end"
	case status == 127:
		return "there is no such program: a command runs in the folder of the replay file, with the PATH of the replay"
	case status == 126:
		return "that is no program that may be run: make it executable, or write its interpreter before it"
	case strings.Contains(printed, "no such file"), strings.Contains(printed, "cannot open"):
		return "a file that it names is not there: a command runs in the folder of the replay file"
	}
	return "start it by hand with the run command of the replay file; the variables under environment carry the addresses"
}

// buildHint: what the system calls its temporary folder is none of the replay file's.
func buildHint(command, out string) string {
	if strings.Contains(command, "{out}") && strings.ContainsAny(out, " \t\n'\"`$&;()<>|*?[]#~\\") {
		return "the folder of {out} is named so that a shell splits or changes it: name another temporary folder with TMPDIR"
	}
	return "run the build command of the replay file by hand"
}
