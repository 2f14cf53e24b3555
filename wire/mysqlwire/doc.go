// Package mysqlwire is the proxy between one worker and a MariaDB or MySQL server.
//
// Hard rule: the bytes go on as they came, but for the capabilities of the first two
// packets. A copy is looked at, to name the steps and to know where a reply ends;
// nothing is ever encoded again.
//
// # What a step is
//
// A step is one command that is answered, and its reply the whole answer: all results
// of a text with several statements, or of a CALL, with all rows. Request and reply are
// read whole before they go on. What does not fit in 16 MiB is kept in a temporary file
// without a name. One step is under way on a connection at a time: what a worker sends
// ahead waits its turn.
//
// No steps are: the login and COM_CHANGE_USER, which go back and forth; the file that LOAD
// DATA LOCAL asks for, which passes between that step's two ends; what is not
// answered (COM_QUIT, COM_STMT_CLOSE, COM_STMT_SEND_LONG_DATA); and what the server says
// by itself before it ends a connection.
//
// # The name of a step
//
// The SQL, with its literals and numbers masked as "?", comments dropped and white space
// folded; several statements are joined with "; ". A prepared statement that is executed
// has the name of its SQL, the same as when the driver puts the values in by itself;
// what prepares it is "Prepare INSERT …". What has no statement is named after its
// command: "Ping", "InitDB". Values are in no text and in no status: of an error only its
// number and SQLSTATE are kept. Text in double quotes is taken for a string, also under
// ANSI_QUOTES. Of a command longer than 1 MiB the name is that of its beginning.
//
// # What is durable
//
// See Durable: it goes by the server's own status flag, not by the SQL.
//
// # What is declined
//
// Compression, query attributes, optional metadata, and MariaDB's progress reports and
// cached metadata are taken out of what both sides say that they can. So is TLS, unless it is
// offered (wire.Gate.Offer), and then it ends here: a client that may go on in clear text does
// so, and one that must not gives up with a message of its own. A command that is not known,
// such as replication's, or that is compressed all the same, ends the connection: see wire.Unreadable.
//
// A worker that connects to "localhost" may take the Unix socket and pass the proxy by:
// give it 127.0.0.1.
package mysqlwire
