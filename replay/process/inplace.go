package process

import "regexp"

// inPlace lets a simple command replace the shell, so that the process that is waited
// for, and that dies with the replay, is the worker itself. One with several parts
// runs below its shell; its own exec before the last part does the same. What only a
// shell knows is no program that could replace it: counter-example ":", whose exec is
// "not found".
func inPlace(command string) string {
	if severalParts.MatchString(command) || shellsOwn.MatchString(command) {
		return command
	}
	return "exec " + command
}

var (
	severalParts = regexp.MustCompile(`[;&|\n]|^\s*(\(|\w+=)`)
	// shellsOwn are the words at a command's begin that are the shell's: its grammar and its builtins.
	shellsOwn = regexp.MustCompile(`^\s*([:.!{]|\[\[|if|for|while|until|case|select|function|time|coproc|exec|exit|return|source|eval|set|unset|export|readonly|` +
		`declare|typeset|local|shift|trap|times|break|continue|alias|unalias|command|builtin|cd|pushd|popd|read|wait|type|hash|umask|ulimit|getopts|let|shopt|enable)(\s|$)`)
)
