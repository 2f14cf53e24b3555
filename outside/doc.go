// Package outside is the stand-in for the outside service: real HTTP on a
// loopback port that keeps every call it was asked to act on.
//
// Hard rule: what it did is what Calls says, in the order in which it did it. A
// call is in the list before the first byte of its reply leaves, and no call
// leaves the list. It asks neither the queue nor the database, and it does not
// know whether a call is a repeat that somebody allowed.
//
// A request goes read -> answer (pure: service, calls so far, request) -> kept,
// under one lock -> reply written. A fault of the service will be one more value
// that answer returns: act or not, and what to do with the reply.
package outside
