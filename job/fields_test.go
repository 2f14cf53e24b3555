package job

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestFieldsOfSQSBody(t *testing.T) {
	for body, want := range map[string]any{
		`{"order": {"id": 9007199254740993}}`: map[string]any{"order": map[string]any{"id": json.Number("9007199254740993")}},
		` [1, "a", null, true] `:              []any{json.Number("1"), "a", nil, true},
		`{"a": {}, "b": []}`:                  map[string]any{"a": map[string]any{}, "b": []any{}},
		`42`:                                  json.Number("42"),
		`"ORD-42"`:                            "ORD-42",
		`null`:                                nil,
		`ORD-42`:                              "ORD-42",
		`0042`:                                "0042",
		`42 apples`:                           "42 apples",
		"ORD-42\n":                            "ORD-42\n",
		``:                                    "",
		`"\ud83d\ude00\\ud800"`:               "\U0001F600\\ud800",
	} {
		fields, err := FieldsOfSQS([]byte(body), nil)
		if err != nil || !reflect.DeepEqual(fields["body"], want) {
			t.Errorf("%s: %#v, %v, want %#v", body, fields["body"], err, want)
		}
	}
}

func TestFieldsOfSQSRefuses(t *testing.T) {
	for body, want := range map[string]string{
		`{"a": 1, "a": 2}`:            "read message body: a JSON object has the same name twice",
		`{"x": [{"a": 1, "\u0061":2}`: "read message body: not one sound JSON value",
		`[{"a": 1, "\u0061": 2}]`:     "read message body: a JSON object has the same name twice",
		`{"a": 1} x`:                  "read message body: not one sound JSON value",
		`{"a": 1}{"a": 2}`:            "read message body: not one sound JSON value",
		"\n{order: 1}":                "read message body: not one sound JSON value",
		`[1, 2`:                       "read message body: not one sound JSON value",
		"{\"a\": \"\xff\"}":           "read message body: not valid UTF-8",
		"ORD-\xff":                    "read message body: not valid UTF-8",
		`{"a": "\ud800"}`:             "read message body: a JSON string has half of a surrogate pair",
		`{"a": "\ud800\ud800"}`:       "read message body: a JSON string has half of a surrogate pair",
		`{"a": "\ud800\\udc00"}`:      "read message body: a JSON string has half of a surrogate pair",
		`"\udc00"`:                    "read message body: a JSON string has half of a surrogate pair",
		strings.Repeat("[", 20000):    "read message body: not one sound JSON value",
	} {
		_, err := FieldsOfSQS([]byte(body), nil)
		if err == nil || err.Error() != want {
			t.Errorf("%.40q: %v, want %s", body, err, want)
		}
	}
}

func TestFieldsOfSQSAttributes(t *testing.T) {
	fields, err := FieldsOfSQS([]byte(`{}`), map[string]string{"tenant": "t1", "tenant.id": "7"})
	if err != nil {
		t.Fatal(err)
	}
	key, err := Operation{Key: pathsOf("attributes.tenant", `attributes["tenant.id"]`)}.KeyOf(fields)
	if err != nil || key != "t1/7" {
		t.Errorf("key %q, %v", key, err)
	}
	if _, err := FieldsOfSQS([]byte(`{}`), map[string]string{"tenant": "\xff"}); err == nil {
		t.Error("an attribute that is not UTF-8 was read")
	}
}

func TestFieldsOfSidekiq(t *testing.T) {
	for payload, want := range map[string]string{
		`{"class": "ChargeJob", "args": [7, 1250], "tenant": "t1"}`:                                           "t1/7",
		`{"wrapped": "MailJob", "tenant": "t1", "args": [{"arguments": [7], "locale": "en", "job_id": "a"}]}`: "t1/7",
		`{"args": [9007199254740993], "tenant": 12}`:                                                          "12/9007199254740993",
		`{"args": [7]}`:                              "operation key: job.tenant is absent from the message",
		`{"args": [7], "tenant": null}`:              "operation key: job.tenant is null",
		`{"tenant": "t1", "args": {"tenant": "t1"}}`: "read Sidekiq job: it has no list args",
	} {
		fields, err := FieldsOfSidekiq([]byte(payload))
		key := ""
		if err == nil {
			key, err = Operation{Key: pathsOf("job.tenant", "args[0]")}.KeyOf(fields)
		}
		if err != nil {
			key = err.Error()
		}
		if key != want {
			t.Errorf("%s: %s, want %s", payload, key, want)
		}
	}
	fields, err := FieldsOfSidekiq([]byte(`{"wrapped": "MailJob", "args": [{"arguments": [7], "locale": "en"}]}`))
	if key, _ := (Operation{Key: pathsOf("job.args[0].locale", "args[0]")}).KeyOf(fields); err != nil || key != "en/7" {
		t.Errorf("ActiveJob's own field: %s, %v", key, err)
	}
}

func TestFindWithTheZeroPath(t *testing.T) {
	if v, found := (Fields{"": 1}).find(Path{}); found {
		t.Errorf("found %v", v)
	}
}
