// Package respwire is the proxy between one worker and a Redis or Valkey server.
//
// Hard rule: the bytes go on as they came. A copy is looked at, to name the steps
// and to know where a reply ends; nothing is ever encoded again.
//
// # What a step is
//
// A step is one command with its reply, in RESP2 or RESP3, inline commands too. Both
// are read whole before they go on; what does not fit in 16 MiB is kept in a temporary
// file without a name. One step is under way on a connection at a time: what a worker
// sends ahead waits its turn.
//
//   - MULTI … EXEC is one step, which is at EXEC: what comes before it does nothing and
//     passes. Killed before the step, nothing of it is applied.
//   - A command that takes a message off a list, such as BRPOP or LMOVE, is two steps
//     when it gets one: the poll itself, which ends with the status "message", and the
//     delivery, "Deliver queue:default". So deliveries have numbers of their own, however
//     often was polled in vain. Before a delivery the server has handed the message over,
//     and the worker has nothing of it; after it, the worker has all of it.
//   - Under CLIENT REPLY OFF and SKIP a step ends when it has left.
//
// No steps are: HELLO and AUTH, whose arguments nobody is shown; SUBSCRIBE and its like,
// and what is published to the worker; other pushes; and what the server says by itself.
// The commands of replication end the connection, and so do bytes that are not RESP: see
// wire.Unreadable. So does TLS where it is not offered: see wire.Gate.Offer.
//
// # The name of a step
//
// The command in capitals, its subcommand, and the keys that it names, in which what
// differs between two runs is masked as "?". A poll's keys are sorted, because clients
// shuffle them. A script is named by the beginning of its SHA-1, whether it is sent whole
// or not. No other argument is in a name. See Options to name steps otherwise.
//
// # When a dead worker is gone
//
// An upstream that is left open in a dead worker's BRPOP takes the next message. When the
// gate shuts, the proxy ends it; the server lets go of the poll before it ends its own
// side, and Quiet waits for that.
package respwire
