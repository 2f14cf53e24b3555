// Package httpwire is the HTTP/1.1 proxy in front of one peer of a worker.
//
// Hard rule: one request of the worker reaches the peer at most once. A client may send
// it again when its connection has ended; the proxy never does, and uses no library that
// could.
//
// Each connection of the worker has one to the peer, which lasts as long where both sides
// keep it. So a peer is met as it would be without a proxy, and a round trip costs no
// connection more.
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
