package sqs

import "testing"

// The digests are those that the real service answered.
func TestDigests(t *testing.T) {
	text := func(s string) Attribute { return Attribute{DataType: "String", StringValue: s} }
	if got := digestOfBody("msg"); got != "6e2baaf3b97dbeef01c0043275f9a0e7" {
		t.Error(got)
	}
	cases := map[string]map[string]Attribute{
		"":                                 {},
		"ae7155c6026991b6d54b11589678bf9c": {"Foo": text("Bar")},
		"a311262e065454b75da111d535b8dacd": {"Hello": text("There")},
		"4c360f3fdafd970e05fae2f149d997f5": {"Hello": text("There"), "General": text("Kenobi"), "Help.Me": text("Me")},
		"8cbe4db156db8a94db8b801b7addb984": {"attr1": {DataType: "Binary",
			BinaryValue: []byte("traceparent\x1e00-774062d6c37081a5a0b9b5b88e30627c-2d2482211f6489da-01")}},
	}
	for want, attributes := range cases {
		if got := digestOfAttributes(attributes); got != want {
			t.Errorf("%v: %s, want %s", attributes, got, want)
		}
	}
}
