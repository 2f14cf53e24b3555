// Package rabbitmq runs a throw-away RabbitMQ from installed binaries (version 3.8
// or later), on a random loopback port, in a private folder.
//
// Hard rule: nothing of it outlives its owner, however that ends.
//
// What it promises:
//
//   - Nothing outlives its owner. Stop ends the broker and removes the folder,
//     and so does the owner's death, however it dies: see lab/internal/process.
//     This includes epmd, Erlang's daemon for names of nodes, which by itself
//     would stay for ever: it is started here, in the foreground, on a port of
//     this broker's own, and Erlang is told to start none.
//   - It is reachable from this machine only: AMQP, the distribution and epmd
//     listen on loopback. The account is guest, with the password guest.
//   - Several run at once; each has its own ports, node name, cookie and folder.
//   - It says it is ready when it has said its own name over AMQP.
//   - No settings file of the machine is read, and no plugin is loaded: what is not
//     set by the caller has the broker's own default.
//
// A start takes seconds, most of them processor time: start one for a test binary
// and give each test a virtual host or queues of its own.
//
// Restart keeps durable queues and the persistent messages that the broker has
// confirmed.
package rabbitmq
