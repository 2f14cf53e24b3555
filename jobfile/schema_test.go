package jobfile

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

type schema struct {
	Ref         string             `json:"$ref"`
	Description string             `json:"description"`
	Type        string             `json:"type"`
	Enum        []string           `json:"enum"`
	Properties  map[string]*schema `json:"properties"`
	Additional  json.RawMessage    `json:"additionalProperties"`
	Required    []string           `json:"required"`
	Defs        map[string]*schema `json:"$defs"`
}

// The schemas are written by hand, for their descriptions; here they are held
// against the structs.
func TestSchemasFollowTheStructs(t *testing.T) {
	checkSchema(t, Schema, fileYAML{})
	checkSchema(t, ReplaySchema, Replay{})
}

func checkSchema(t *testing.T, text []byte, file any) {
	t.Helper()
	var root schema
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	checkObject(t, &root, &root, reflect.TypeOf(file), "")
}

func checkObject(t *testing.T, root, s *schema, typ reflect.Type, field string) {
	if string(s.Additional) != "false" {
		t.Errorf("%q takes unknown fields", field)
	}
	members := membersOf(typ)
	names := []string{}
	for _, m := range members {
		names = append(names, m.name)
		at := under(field, m.name)
		property := s.Properties[m.name]
		if property == nil || property.Description == "" {
			t.Errorf("%s is not described", at)
			continue
		}
		if m.need != "" && !slices.Contains(s.Required, m.name) {
			t.Errorf("%s is not required", at)
		}
		checkProperty(t, root, property, typ.Field(m.index).Type, at)
	}
	for name := range s.Properties {
		if !slices.Contains(names, name) {
			t.Errorf("%s is in the schema only", under(field, name))
		}
	}
}

func checkProperty(t *testing.T, root, s *schema, typ reflect.Type, field string) {
	s = resolve(root, s)
	switch {
	case typ == reflect.TypeOf(time.Duration(0)):
		if s != root.Defs["duration"] {
			t.Errorf("%s is no duration", field)
		}
	case nameField(typ) || typ.Kind() == reflect.Slice && nameField(typ.Elem()):
		var each schema
		if err := json.Unmarshal(s.Additional, &each); err != nil {
			t.Fatalf("%s: %v", field, err)
		}
		checkObject(t, root, resolve(root, &each), typ.Elem(), field+".*")
	case typ.Kind() == reflect.Struct:
		checkObject(t, root, s, typ, field)
	default:
		want := map[reflect.Kind]string{reflect.String: "string", reflect.Int: "integer", reflect.Bool: "boolean", reflect.Slice: "array", reflect.Map: "object"}
		if s.Type != want[typ.Kind()] && s.Enum == nil && field != "version" {
			t.Errorf("%s is %q in the schema and %s in the struct", field, s.Type, typ)
		}
	}
}

func resolve(root, s *schema) *schema {
	if s.Ref == "" {
		return s
	}
	return root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
}

func TestSchemaNamesEveryChoice(t *testing.T) {
	var file, replay schema
	if err := json.Unmarshal(Schema, &file); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(ReplaySchema, &replay); err != nil {
		t.Fatal(err)
	}
	j := file.Defs["job"].Properties
	for _, c := range []struct {
		got  []string
		want []string
	}{
		{j["queue"].Enum, texts(job.Sidekiq, job.Celery, job.RQ, job.SQS)},
		{j["effect"].Properties["kind"].Enum, texts(job.OwnRow, job.Outside)},
		{j["stale_claim"].Properties["policy"].Enum, texts(job.Lookup, job.Resend, job.Hold, job.AcceptDuplicate, job.AcceptMiss)},
		{replay.Properties["database"].Properties["kind"].Enum, texts(SQLite, Postgres, MySQL)},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("the schema has %v, the code has %v", c.got, c.want)
		}
	}
}

func texts[T ~string](values ...T) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return list
}
