// Package httpwire is the HTTP/1.1 proxy in front of one peer of a worker.
//
// Hard rule: one request of the worker reaches the peer at most once. Each
// request has an upstream connection of its own, made for it and never used
// again, so that no library can send it twice.
//
// One request and its reply are one step. Both are read whole before they go on.
// Bytes are not changed, and headers only where they belong to one connection
// (RFC 9110, 7.6.1): the framing is this proxy's own on both sides, so trailers
// and upgrades do not pass. The Host header stays, because a signature may cover
// it.
//
// A peer may stand for outside hosts that are written into a worker's code: see Stand, which
// the worker's proxy variables lead to, and which ends its TLS.
package httpwire
