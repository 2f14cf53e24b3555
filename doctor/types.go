package doctor

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var sizedType = regexp.MustCompile(`^([a-z ]+?)(?:\((\d+)\))?( unsigned)?$`)

var aliases = map[string]string{
	"timestamptz": "timestamp with time zone", "integer": "int", "boolean": "tinyint", "int4": "int", "int8": "bigint",
}

// wider are types in the order in which each holds all of the one before.
var wider = [][]string{
	{"tinyint", "smallint", "mediumint", "int", "bigint"},
	{"tinytext", "text", "mediumtext", "longtext"},
	{"tinyblob", "blob", "mediumblob", "longblob"},
}

// holds says that a column of the type got is as good as one of the type want.
func holds(want, got string) bool {
	wantBase, wantSize := typeOf(want)
	gotBase, gotSize := typeOf(got)
	for _, order := range wider {
		w, g := slices.Index(order, wantBase), slices.Index(order, gotBase)
		if w >= 0 && g >= 0 {
			return g >= w
		}
	}
	return wantBase == gotBase && (gotSize >= wantSize || gotSize == 0 && wantBase != "datetime")
}

// typeOf takes a type apart. A whole number's size is only how it is shown.
func typeOf(text string) (base string, size int) {
	m := sizedType.FindStringSubmatch(strings.ToLower(strings.TrimSpace(text)))
	if m == nil {
		return text, 0
	}
	base = m[1]
	if other, is := aliases[base]; is {
		base = other
	}
	if slices.Contains(wider[0], base) {
		return base, 0
	}
	size, _ = strconv.Atoi(m[2])
	return base, size
}

// plainDefault is how a default is compared: without quotes, casts and ways to say it.
func plainDefault(text string) string {
	text, _, _ = strings.Cut(strings.ToLower(text), "::")
	text = strings.Trim(text, "'() ")
	switch text {
	case "false":
		return "0"
	case "true":
		return "1"
	}
	return text
}

// isText says that a type has a collation.
func isText(kind string) bool {
	base, _ := typeOf(kind)
	return strings.Contains(base, "char") && !strings.Contains(base, "binary") || strings.HasSuffix(base, "text")
}
