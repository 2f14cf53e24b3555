package job

import (
	"encoding/json"
	"strings"
	"testing"
)

// goldenPath is one line of paths.json: a text, and its steps or the refusal.
type goldenPath struct {
	Text  string `json:"text"`
	Path  string `json:"path,omitempty"`
	Steps []any  `json:"steps,omitempty"`
	What  string `json:"refused,omitempty"`
}

var pathTexts = []string{
	"args[0]", "args[0].id", "kwargs.order_id", "body.order.id", "attributes.tenant", "body", "body[0][1].x", "body.0", "body.a-b", "body._",
	`body["order"]`, `body["order id"]`, `body["a.b"]["c]"]`, `body["a\"b\\c"]`, `body[""]`, `body["caf` + "\u00e9" + `"]`, `attributes["tenant.id"]`, "args[999999999]",
	"", "order.id", "$.body.id", "/body/id", "Body.id", "body.", "body..id", "body.[0]", ".body", "body[", "body[0", "body[]", "body[*]", "body[-1]", "body[01]", "body[1.5]",
	"args[9999999999]", `body["a`, `body["a"`, `body["a\n"]`, `body["a\`, `body['a']`, "body.order id", "body id", "body.caf\u00e9", "body.\u00e9", "body ", " body", "body]",
	"args", "args.0", `args["0"]`, "kwargs", "kwargs[0]", "attributes", "attributes[0]", "attributes.tenant.id", "attributes.a[0]",
	"job.tenant", "job.args[0].locale", "job", "job[0]",
	"headers.tenant", `headers["x-tenant.id"]`, "headers", "headers[0]",
}

func TestPathGolden(t *testing.T) {
	cases := make([]goldenPath, len(pathTexts))
	for i, text := range pathTexts {
		cases[i] = goldenPath{Text: text}
		path, err := ParsePath(text)
		if err != nil {
			cases[i].What = err.(*PathError).What
			continue
		}
		cases[i].Path = path.String()
		for _, s := range path.steps {
			if s.inList {
				cases[i].Steps = append(cases[i].Steps, s.index)
			} else {
				cases[i].Steps = append(cases[i].Steps, s.name)
			}
		}
	}
	checkGolden(t, "paths.json", listOf(t, "cases", cases))
}

func TestPathErrorsHelp(t *testing.T) {
	for text, hint := range map[string]string{
		"args.0":               "args is a list: write args[0]",
		"attributes.tenant.id": `if the dot belongs to its name, quote it: attributes["tenant.id"]`,
		"body.order id":        `such as body["order id"]`,
		"order.id":             "SQS has body and attributes",
		"\xff":                 "save the file as UTF-8",
	} {
		_, err := ParsePath(text)
		if err == nil || !strings.Contains(err.(*PathError).Hint, hint) {
			t.Errorf("%q: %#v, want the hint %q", text, err, hint)
		}
	}
}

func TestPathAsText(t *testing.T) {
	text, err := json.Marshal(pathsOf("args[0].id", `body["order"]`))
	if err != nil || string(text) != `["args[0].id","body.order"]` {
		t.Fatalf("%s, %v", text, err)
	}
	var back []Path
	if err := json.Unmarshal(text, &back); err != nil || !back[1].Equal(MustParsePath("body.order")) {
		t.Errorf("%v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`["nope"]`), &back); err == nil {
		t.Error("a bad path was read")
	}
}

func TestMustParsePathPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	MustParsePath("nope")
}

// FuzzParsePath: the canonical form is read back as the same path.
func FuzzParsePath(f *testing.F) {
	for _, text := range pathTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path, err := ParsePath(text)
		if err != nil {
			if path.String() != "" || err.(*PathError).Hint == "" {
				t.Errorf("%q: path %q with error %v", text, path, err)
			}
			return
		}
		again, err := ParsePath(path.String())
		if err != nil || !again.Equal(path) || again.String() != path.String() {
			t.Errorf("%q became %q, then %q, %v", text, path, again, err)
		}
	})
}
