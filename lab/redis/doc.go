// Package redis runs a throw-away Redis from an installed binary (version 6 or
// later; Valkey's is as good), on a random loopback port, in a private folder.
//
// Hard rule: nothing of it outlives its owner, however that ends.
//
// What it promises:
//
//   - Nothing outlives its owner. Stop ends the server and removes the folder,
//     and so does the owner's death, however it dies: see lab/internal/process.
//   - It is reachable from this machine only: 127.0.0.1, no Unix socket, without
//     a password.
//   - Several run at once; each has its own port and folder.
//   - It says it is ready when it has answered, and has read its data back.
//   - No settings file of the machine is read: what is not set here or by the
//     caller has the server's own default.
//
// It keeps nothing over Restart unless the caller sets "appendonly yes". Then it
// keeps every write that it has answered: it writes to its file before it answers,
// and syncs nothing. With the server's own appendfsync, everysec, that write waits
// up to two seconds for a slow disk, and a SIGKILL loses what was answered
// meanwhile.
package redis
