// Package process runs the programs of a throw-away server: in a private
// folder, in one process group, on a random port of 127.0.0.1.
//
// Hard rule: nothing of it outlives its owner, however that ends.
//
// The owner is the process that made the group. Its watchdog, a few lines of
// shell, ends the programs and removes the folder when the owner says so and
// when the owner is gone. What differs between servers (their arguments, how
// they answer, how they say that a port is taken) is given by their packages.
package process
