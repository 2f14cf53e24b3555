// Package postgres runs a throw-away PostgreSQL from installed binaries
// (version 13 or later), on a random loopback port, in a private folder.
//
// Hard rule: nothing of it outlives its owner, however that ends.
//
// What it promises:
//
//   - Nothing outlives its owner. Stop ends the server and removes the folder,
//     and so does the owner's death, however it dies: see watchdog.
//   - It is reachable from this machine only: 127.0.0.1, no Unix socket.
//     Every local account may connect, without a password, as superuser.
//   - Several run at once; each has its own port, folder and databases.
//   - It says it is ready when it has answered a query on a real connection.
//
// What it does not promise: to keep data. It runs with fsync=off and
// full_page_writes=off. This changes no verdict of a replay: there the worker
// dies, never the database server or the machine. What a dead worker had
// committed is in the server's memory and the operating system's cache either
// way, and what it had not committed is rolled back either way. Those settings
// matter only to a database that itself loses power. synchronous_commit stays
// on, since applications read it and it costs nothing without fsync.
package postgres
