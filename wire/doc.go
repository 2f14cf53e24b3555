// Package wire lets a proxy stop a worker at one exact step of its run.
//
// Hard rule: this package and its proxies know bytes and steps, never jobs.
// They do not know what a claim, an effect or a policy is.
//
// All connections of one worker process, to whatever peer, share one Gate:
//
//	worker ──request──▶ [Before] ──▶ forwarded ──▶ peer
//	worker ◀──passed─── [After]  ◀── reply ◀────── peer
//
// Some steps go one way: a request that is not answered, such as an acknowledgement, whose
// After is when it has left; and a delivery, which the peer gives, whose Before is when it
// has been read whole and whose After is when the worker has it.
//
// The gate judges bytes, not intentions. Every connection is wrapped (Client,
// Upstream), and each Write asks the gate under its lock. So when the gate shuts
// there is one moment after which not a byte leaves, whatever the worker's
// threads, its children or a proxy's own goroutines still do.
//
// A step's request is forwarded when its first byte has left, and not earlier: a
// step that was let through and then overtaken by a kill is refused.
//
// Every step ends in exactly one of passed, killed, dropped, refused and lost.
//
// # Why an upstream connection is half-closed and not reset
//
// A reset ends our view of the peer while it may still be serving the request: a
// count taken then is a count taken too early, and a long poll that nobody sees
// any more takes the redelivered message. A killed process ends its connections
// with FIN too. So the gate sends FIN, reads on, throws the bytes away, and waits
// for the peer's own end: this is what Quiet waits for. A peer that does not
// answer FIN makes Quiet fail, which is a finding; Close resets what is left.
//
// # TLS
//
// A worker that insists on TLS has it as far as its proxy, where it is offered (Offer), by an
// Authority that nobody else trusts. Steps and faults are of the bytes within. The handshake
// is no step. A proxy that offers none declines it, and one that is not trusted has no
// worker: WhyUnsecured tells.
//
// What the gate cannot see: connections that pass it by, files, and a peer that
// ends a connection while it is still at work.
package wire
