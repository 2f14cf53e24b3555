// Package postgres runs a throw-away PostgreSQL from installed binaries
// (version 13 or later), on a random loopback port, in a private folder.
//
// Hard rule: nothing of it outlives its owner, however that ends.
//
// What it promises:
//
//   - Nothing outlives its owner. Stop ends the server and removes the folder,
//     and so does the owner's death, however it dies: see lab/internal/process.
//     (But a server that was itself killed, and then not started again, leaves
//     the kernel's 56 bytes of shared memory that it locked its data with.)
//   - It is reachable from this machine only: 127.0.0.1, no Unix socket.
//     Every local account may connect, without a password, as superuser.
//   - Several run at once; each has its own port, folder and databases.
//   - It says it is ready when it has answered a query on a real connection.
//
// What it does not promise: to keep data when the machine goes down. It runs
// with fsync=off and full_page_writes=off, unless Start is told otherwise, as a
// benchmark does. This changes no verdict of a replay: there the worker dies, or
// the server's processes do (Restart), never the machine. What was committed is
// in the operating system's cache either way, and what was not is rolled back
// either way. Those settings matter only to a machine that loses power.
// synchronous_commit stays on, since applications read it and it costs nothing
// without fsync.
package postgres
