// Package mariadb runs a throw-away MariaDB from installed binaries (version
// 10.6 or later), on a random loopback port, in a private folder.
//
// Hard rule: nothing of it outlives its owner, however that ends.
//
// What it promises:
//
//   - Nothing outlives its owner. Stop ends the server and removes the folder,
//     and so does the owner's death, however it dies: see lab/internal/process.
//   - It is reachable from this machine only: 127.0.0.1, no Unix socket.
//     Every local account may connect, without a password, as root.
//   - Several run at once; each has its own port, folder and databases.
//   - It says it is ready when it has answered a query on a real connection.
//   - No option file of the machine is read: what is not set here or by the
//     caller has the server's own default, but for the character set, utf8mb4.
//
// What it does not promise: to keep data when the machine goes down. Nothing is
// synced to the disk. A replay kills the worker, never the machine, and what a
// dead worker had committed is in the operating system's cache, so that it is
// also there after Restart.
//
// Where there is no mariadb-install-db but MySQL's mysqld, it runs MySQL 8. That
// way is written from its manual and has not been run yet.
package mariadb
