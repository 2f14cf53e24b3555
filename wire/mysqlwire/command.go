package mysqlwire

// Commands: the first byte of what a worker says by itself.
const (
	comQuit            = 0x01
	comInitDB          = 0x02
	comQuery           = 0x03
	comFieldList       = 0x04
	comRefresh         = 0x07
	comShutdown        = 0x08
	comStatistics      = 0x09
	comProcessInfo     = 0x0a
	comProcessKill     = 0x0c
	comDebug           = 0x0d
	comPing            = 0x0e
	comChangeUser      = 0x11
	comStmtPrepare     = 0x16
	comStmtExecute     = 0x17
	comStmtSendLong    = 0x18
	comStmtClose       = 0x19
	comStmtReset       = 0x1a
	comSetOption       = 0x1b
	comStmtFetch       = 0x1c
	comResetConnection = 0x1f
	comStmtBulkExecute = 0xfa // MariaDB's
)

// shape is what the reply to a command looks like.
type shape int

const (
	unknown  shape = iota // such as replication
	silent                // none comes
	single                // one packet
	results               // OK, an error or rows, and that again while more is announced
	rows                  // rows to their end, without a head
	prepared              // a statement's number, and how its parameters and columns look
	login                 // asks and answers until OK or an error
)

var shapes = map[byte]shape{
	comQuit: silent, comStmtSendLong: silent, comStmtClose: silent,
	comInitDB: single, comRefresh: single, comShutdown: single, comStatistics: single,
	comProcessKill: single, comDebug: single, comPing: single, comStmtReset: single,
	comSetOption: single, comResetConnection: single,
	comQuery: results, comProcessInfo: results, comStmtExecute: results, comStmtBulkExecute: results,
	comFieldList: rows, comStmtFetch: rows,
	comStmtPrepare: prepared,
	comChangeUser:  login,
}

// titles are the names of the commands without a statement.
var titles = map[byte]string{
	comInitDB: "InitDB", comFieldList: "FieldList", comRefresh: "Refresh", comShutdown: "Shutdown",
	comStatistics: "Statistics", comProcessInfo: "ProcessInfo", comProcessKill: "ProcessKill",
	comDebug: "Debug", comPing: "Ping", comSetOption: "SetOption", comResetConnection: "ResetConnection",
}
