package celery

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"

	amqp "github.com/rabbitmq/amqp091-go"
)

// headersOf reads a table of AMQP as JSON has it. Of one that cannot be read it gives what
// was read.
func headersOf(raw []byte) map[string]any {
	t := &table{rest: raw}
	return t.fields()
}

type table struct {
	rest  []byte
	short bool
}

func (t *table) take(n int) []byte {
	if n < 0 || n > len(t.rest) {
		t.rest, t.short = nil, true
		return make([]byte, 8)
	}
	b := t.rest[:n]
	t.rest = t.rest[n:]
	return b
}

func (t *table) within() *table { return &table{rest: t.take(int(binary.BigEndian.Uint32(t.take(4))))} }

func (t *table) fields() map[string]any {
	all := map[string]any{}
	for len(t.rest) > 0 && !t.short {
		name := string(t.take(int(t.take(1)[0])))
		all[name] = t.value()
	}
	return all
}

func (t *table) list() []any {
	all := []any{}
	for len(t.rest) > 0 && !t.short {
		all = append(all, t.value())
	}
	return all
}

// value reads one of those that Celery's client and the broker write.
func (t *table) value() any {
	switch kind := t.take(1)[0]; kind {
	case 'V':
		return nil
	case 't':
		return t.take(1)[0] != 0
	case 'b', 'B':
		return int(int8(t.take(1)[0])) //nolint:gosec // it is signed
	case 's', 'U', 'u':
		return int(int16(binary.BigEndian.Uint16(t.take(2)))) //nolint:gosec // it is signed
	case 'I', 'i':
		return int(int32(binary.BigEndian.Uint32(t.take(4)))) //nolint:gosec // it is signed
	case 'l', 'L', 'T':
		return int64(binary.BigEndian.Uint64(t.take(8))) //nolint:gosec // it is signed
	case 'f':
		return float64(math.Float32frombits(binary.BigEndian.Uint32(t.take(4))))
	case 'd':
		return math.Float64frombits(binary.BigEndian.Uint64(t.take(8)))
	case 'S', 'x':
		return string(t.within().rest)
	case 'F':
		return t.within().fields()
	case 'A':
		return t.within().list()
	}
	t.rest, t.short = nil, true
	return nil
}

// tableOf writes headers for AMQP, whose tables have numbers of a size.
func tableOf(headers map[string]value) (amqp.Table, error) {
	encoded, err := json.Marshal(headers)
	if err != nil {
		return nil, err
	}
	var plain map[string]any
	numbers := json.NewDecoder(bytes.NewReader(encoded))
	numbers.UseNumber() // a header may be in the operation key: every digit is kept
	if err := numbers.Decode(&plain); err != nil {
		return nil, err
	}
	return tableOfPlain(plain), nil
}

func tableOfPlain(plain map[string]any) amqp.Table {
	t := amqp.Table{}
	for name, v := range plain {
		t[name] = fieldOf(v)
	}
	return t
}

func fieldOf(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return tableOfPlain(v)
	case []any:
		list := make([]any, len(v))
		for i, one := range v {
			list[i] = fieldOf(one)
		}
		return list
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	}
	return v
}
