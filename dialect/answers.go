package dialect

import (
	"errors"
	"reflect"
	"slices"
)

// What the databases' own codes say, for all drivers: one that has none comes from the
// connection, and so its reply may have been lost.

// 40001, 40P01, 55P03: another transaction was in the way.
var postgresBusy = []string{"40001", "40P01", "55P03"}

// So perhaps for 57014, the server's own time limit. 53300: too many connections.
// 57P01-57P03: the server stops or starts. 57P05: the connection was idle for too long.
var postgresPasses = []string{"53300", "57014", "57P01", "57P02", "57P03", "57P05"}

// 1205, 1213, 3572 and MariaDB's 1020: another transaction was in the way.
var mysqlBusy = []int{1205, 1213, 1020, 3572}

// 1040, 1203: too many connections. 1047: a cluster's node without its majority.
// 1053, 1077, 1927, 3169, 4031: the server stops, or has ended the connection. 1158-1161: the
// network. 1317, 1969, 3024: the statement was ended by a person or a time limit.
var mysqlPasses = []int{1040, 1047, 1053, 1077, 1158, 1159, 1160, 1161, 1203, 1317, 1927, 1969, 3024, 3169, 4031}

// The low byte is SQLite's primary code: 5 SQLITE_BUSY, 6 SQLITE_LOCKED, with their
// extended forms such as 517 SQLITE_BUSY_SNAPSHOT.
func sqliteBusy(code int) bool { return code&0xff == 5 || code&0xff == 6 }

// Busy tells whether a statement failed only because another transaction was in the way.
func Busy(err error) bool {
	var pg interface{ SQLState() string }
	if errors.As(err, &pg) {
		return slices.Contains(postgresBusy, pg.SQLState())
	}
	var lite interface{ Code() int }
	if errors.As(err, &lite) {
		return sqliteBusy(lite.Code())
	}
	number, ok := MySQLNumber(err)
	return ok && slices.Contains(mysqlBusy, number)
}

// Passes tells whether the same statement may be answered when it is sent again: another
// transaction was in the way, or the server or the connection is going. Coded is false for
// an error without a code, of which that cannot be told.
func Passes(err error) (passes, coded bool) {
	var pg interface{ SQLState() string }
	if errors.As(err, &pg) {
		state := pg.SQLState()
		return Busy(err) || slices.Contains(postgresPasses, state) || len(state) == 5 && state[:2] == "08", true
	}
	var lite interface{ Code() int }
	if errors.As(err, &lite) {
		return Busy(err), true
	}
	number, ok := MySQLNumber(err)
	return ok && (Busy(err) || slices.Contains(mysqlPasses, number)), ok
}

// MySQLNumber is the server's number of an error. The drivers have it in a field, so
// it is read without importing one.
func MySQLNumber(err error) (number int, ok bool) {
	for ; err != nil; err = errors.Unwrap(err) {
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			for _, one := range several.Unwrap() {
				if number, ok := MySQLNumber(one); ok {
					return number, true
				}
			}
			return 0, false
		}
		v := reflect.Indirect(reflect.ValueOf(err))
		if v.Kind() != reflect.Struct {
			continue
		}
		field, ok := v.Type().FieldByName("Number")
		if !ok || field.Type.Kind() != reflect.Uint16 {
			continue
		}
		if n, err := v.FieldByIndexErr(field.Index); err == nil { // or what embeds it is nil
			return int(n.Uint()), true
		}
	}
	return 0, false
}
