// Package pgwire is the PostgreSQL proxy between one worker and the server.
//
// Hard rule: the bytes go on as they came. A copy is looked at, to name the steps
// and to know where a reply ends; nothing is ever encoded again.
//
// # What a step is
//
// A step is what the worker sends up to and including Query, FunctionCall or
// Sync, so a pipeline up to its Sync is one step. Its reply ends at
// ReadyForQuery. Two forms cannot wait that long, because the worker is owed an
// answer before it goes on, and are steps of their own:
//
//   - COPY … FROM STDIN is answered by CopyInResponse. The data with its CopyDone
//     or CopyFail, kept back until then, is the next step: "CopyDone COPY …".
//   - Flush: its step is "Flush …". The text and the status of the step that ends
//     in Sync cover what was flushed before it.
//
// Both request and reply are read whole before they go on. What does not fit in
// 16 MiB is kept in a temporary file without a name, so memory is bounded by that
// and by the largest single message. One step is under way on a connection at a
// time: what a worker sends ahead waits its turn.
//
// No steps are: start and authentication (SCRAM passes through), Terminate,
// CancelRequest, which has a connection of its own, and what the server says by
// itself between two steps (NotificationResponse, ParameterStatus, a FATAL error).
// From CopyBothResponse on (replication) messages pass as they come.
//
// # The name of a step
//
// The SQL, with its literals and numbers masked as "?", comments dropped and white
// space folded; several statements are joined with "; ". Parse, Bind, Describe,
// Execute and Sync become one, and a prepared statement's name becomes its SQL. A
// step that executes nothing is named after its message, as "Parse SELECT …".
// Values are in no text and in no status: parameters are left out, and of an error
// only its SQLSTATE is kept.
//
// # What is durable
//
// See Status. CommandComplete is not the commit.
//
// # Encryption
//
// Where TLS is not offered (wire.Gate.Offer), SSLRequest is answered with 'N'. Under
// sslmode=prefer, and less, a client goes on in clear text, some by a second connection.
// Under sslmode=require, and more, it gives up with a message of its own (libpq: "server does
// not support SSL, but SSL was required"). Where it is offered, the answer is 'S', and TLS
// ends here; sslnegotiation=direct is understood, too. The server is spoken to in clear
// text. GSSENCRequest is always answered with 'N'.
package pgwire
