package dialect

import (
	"errors"
	"reflect"
)

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
