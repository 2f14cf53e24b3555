package twiceproof

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// answers sends one statement whose last argument is a list.
func (t records) answers(ctx context.Context, list any, each func(*sql.Rows) error, statement string, args ...any) error {
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	statement, args = t.bind(statement, append(args, ascii(text)))
	rows, err := t.db.QueryContext(ctx, statement, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// ascii escapes the rest, which a connection of MySQL that is set to another character
// set would change.
func ascii(text []byte) string {
	var b strings.Builder
	for _, r := range string(text) {
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
