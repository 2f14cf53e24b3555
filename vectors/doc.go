// Package vectors holds the protocol as text: scenarios that the guards in every
// language run, from these same files, against real databases. It is data only.
// The format is in docs/vectors.md.
//
// Hard rule: a scenario says what is seen from outside (outcomes, effects, the
// record), never how a guard comes to it, and no line of it waits for a clock.
package vectors

import "embed"

// Files are the scenarios, a theme a file.
//
//go:embed *.txt
var Files embed.FS
