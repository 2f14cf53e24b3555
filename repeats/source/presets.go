package source

import (
	"regexp"
	"slices"
	"strings"
)

// presets are the patterns of log lines that the queues' own loggers write.
var presets = map[string]Pattern{
	"sidekiq": {
		Note: "a line is the start of a run, and its reference is the job's id (jid): retries and redeliveries show, the same operation enqueued twice does not",
		must: "start",
		Regexp: regexp.MustCompile(
			`(?P<time>\d{4}-\d\d-\d\dT[\d:.]+Z) (?:pid=)?\d+ (?:tid=|TID-)\S+ .*\b(?:jid=|JID-)(?P<reference>[0-9a-zA-Z-]+)\b.*: start\s*$`),
		other: regexp.MustCompile(`\{"ts":"(?P<time>[^"]+)",.*"msg":"start","ctx":\{.*"jid":"(?P<reference>[^"]+)"`), // of its JSON formatter
	},
	"celery": {
		Note: "a line is the end of a run, and its reference is the task's id: a run that was killed has no line, and the same operation sent twice does not show",
		must: "] Task ",
		Regexp: regexp.MustCompile(
			`\[(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[,.]\d+): \w+/[^\]]*\] Task \S+?\[(?P<reference>[^\]\s]+)\] (?:succeeded in |retry: |raised |failed)`),
	},
}

// PresetNames are the names that --pattern takes beside an expression.
var PresetNames = []string{"sidekiq", "celery", "json"}

// ParsePattern takes the name of a preset, or a regular expression with the groups
// reference and time.
func ParsePattern(text string) (*Pattern, error) {
	if p, ok := presets[text]; ok {
		p.Name = text
		return &p, nil
	}
	if !strings.Contains(text, "(") {
		hint := "write one of " + strings.Join(PresetNames, ", ") + ", or a regular expression with (?P<reference>…) and (?P<time>…)"
		if near := Nearest(text, PresetNames); near != "" {
			hint = "did you mean " + near + "? " + hint
		}
		return nil, &Error{"there is no pattern of that name", hint}
	}
	r, err := regexp.Compile(text)
	if err != nil {
		return nil, &Error{"the pattern is no regular expression: " + err.Error(), "Go's syntax is meant: see https://pkg.go.dev/regexp/syntax"}
	}
	for _, group := range []string{"reference", "time"} {
		if !slices.Contains(r.SubexpNames(), group) {
			return nil, &Error{"the pattern has no named group " + group, "write (?P<" + group + ">…) around it"}
		}
	}
	return &Pattern{Regexp: r}, nil
}

// Columns are the pattern's own groups.
func (p *Pattern) Columns() Columns {
	c := Columns{Reference: "reference", Time: "time"}
	if p.Name != "" {
		c.Message = c.Reference
	} else if slices.Contains(p.SubexpNames(), "message") {
		c.Message = "message"
	}
	return c
}
