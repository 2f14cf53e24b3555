package source

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// JSONL reads one JSON object a line. Loose takes log lines that end in one, and counts
// those without.
func JSONL(f *File, columns Columns, loose bool, sink Sink) error {
	j := jsonLines{columns: columns, loose: loose, sink: sink, names: columns.all(), seen: map[string]int{}}
	j.found, j.values = make([]int, len(j.names)), make([]string, len(j.names))
	if err := eachLine(f, j.line); err != nil {
		return err
	}
	f.Names = j.known
	for i, name := range j.names {
		if j.objects > 0 && j.found[i] == 0 && (i < 2 || slices.Contains(columns.Key, name)) {
			return Missing(f.Name, "field", name, j.fields())
		}
	}
	if j.objects == 0 {
		return &Error{f.Name + " has no line with a JSON object", "is it JSON lines, one object a line?"}
	}
	return nil
}

type jsonLines struct {
	columns Columns
	loose   bool
	sink    Sink
	names   []string
	values  []string
	found   []int
	known   []string       // names that the first objects have
	seen    map[string]int // and how many have each
	objects int
	rec     Record
}

func (j *jsonLines) line(line string) error {
	body := line
	if start := strings.IndexByte(line, '{'); j.loose && start > 0 {
		body = line[start:]
	}
	if body = strings.TrimSpace(body); body == "" || body[0] != '{' || !gjson.Valid(body) {
		j.sink.Left(map[bool]string{true: NoJSON, false: "no sound JSON object"}[j.loose])
		return nil
	}
	if j.objects++; j.objects <= firstObjects {
		j.learn("", gjson.Parse(body))
	}
	for i, name := range j.names {
		v := jsonField(body, name)
		if v.Exists() {
			j.found[i]++
		}
		j.values[i] = jsonText(v)
	}
	j.rec.Fill(j.columns, j.values)
	j.rec.Whole, j.rec.Body = line, body
	return j.sink.Take(&j.rec)
}

// jsonField takes a name with dots as one first, and then as a path.
func jsonField(body string, name string) gjson.Result {
	if strings.Contains(name, ".") {
		if v := gjson.Get(body, strings.ReplaceAll(name, ".", `\.`)); v.Exists() {
			return v
		}
	}
	return gjson.Get(body, name)
}

// jsonText is a value as it is written; null, lists and objects are nothing.
func jsonText(v gjson.Result) string {
	switch v.Type {
	case gjson.String:
		return v.Str
	case gjson.Number, gjson.True, gjson.False:
		return v.Raw
	}
	return ""
}

func (j *jsonLines) learn(above string, object gjson.Result) {
	object.ForEach(func(key, value gjson.Result) bool {
		name := above + key.Str
		switch {
		case value.IsObject():
			j.learn(name+".", value)
		case j.seen[name] > 0:
			j.seen[name]++
		case len(j.known) < 200:
			j.known = append(j.known, name)
			j.seen[name] = 1
		}
		return true
	})
}

// firstObjects are looked at for their names.
const firstObjects = 100

// plainField is no number of an order, nor anybody's address.
var plainField = regexp.MustCompile(`^[\pL\d_.-]{1,60}$`)

// fields are the known names that may be told. In {"charges": {"ord-7": 500}} a name is a
// value: a field is what half of the objects have, and not one alone.
func (j *jsonLines) fields() (names []string) {
	most := min(j.objects, firstObjects)
	for _, name := range j.known {
		if n := j.seen[name]; n > 1 && 2*n >= most && digits(name) < 3 && plainField.MatchString(name) {
			names = append(names, name)
		}
	}
	return names
}

// Log reads lines that a pattern with named groups matches.
func Log(f *File, p *Pattern, columns Columns, sink Sink) error {
	names := columns.all()
	for _, name := range names {
		if p.SubexpIndex(name) < 0 {
			return Missing("the pattern", "named group", name, slices.DeleteFunc(p.SubexpNames(), func(s string) bool { return s == "" }))
		}
	}
	matched := 0
	rec, values := Record{}, make([]string, len(names))
	err := eachLine(f, func(line string) error {
		whole, ok := p.take(line, names, values)
		if !ok {
			sink.Left(Unmatched)
			return nil
		}
		matched++
		rec.Fill(columns, values)
		rec.Whole = whole
		return sink.Take(&rec)
	})
	if err == nil && matched == 0 {
		return &Error{"no line of " + f.Name + " matches the pattern", "try it on one line first: grep -P PATTERN FILE | head"}
	}
	return err
}

// What is left out of a log, since its lines are not all of the job's.
const (
	Unmatched = "lines that the pattern does not match"
	NoJSON    = "lines without a JSON object"
)

// Pattern is a regular expression with named groups.
type Pattern struct {
	*regexp.Regexp
	Name string
	Note string // what a line of it stands for
	must string // in each line that matches
	// other is a second form of the lines, with the same groups; nil: there is none.
	other *regexp.Regexp
}

// take gives the values of the groups, where the line has one of the forms, and what makes
// it the same line when it is shipped twice: of a preset what the queue wrote, without what
// a shipper put before it.
func (p *Pattern) take(line string, names, values []string) (whole string, ok bool) {
	if !strings.Contains(line, p.must) {
		return "", false
	}
	form, at := p.Regexp, p.FindStringSubmatchIndex(line)
	if at == nil && p.other != nil {
		form, at = p.other, p.other.FindStringSubmatchIndex(line)
	}
	if at == nil {
		return "", false
	}
	for i, name := range names {
		group := form.SubexpIndex(name)
		if values[i] = ""; at[2*group] >= 0 {
			values[i] = line[at[2*group]:at[2*group+1]]
		}
	}
	if p.Name != "" {
		line = line[at[0]:at[1]]
	}
	return line, true
}
