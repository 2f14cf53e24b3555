package respwire

// The kinds of a Value, as RESP writes them.
const (
	simple    = '+'
	failure   = '-'
	integer   = ':'
	bulk      = '$'
	array     = '*'
	null      = '_'
	boolean   = '#'
	double    = ','
	big       = '('
	blobError = '!'
	verbatim  = '='
	mapping   = '%'
	set       = '~'
	push      = '>'
	attribute = '|'
)

// Value is a reply, or an element of one.
type Value struct {
	// Kind is the byte with which RESP begins such a value: '+', '-', ':', '$', '*', and
	// RESP3's. A null is '_' in both. 0: there is no reply yet, or none will come.
	Kind byte
	// Text is that of a string, a number or an error.
	Text []byte
	// Elements are those of an array, a set or a push; of a map keys and values in turn.
	Elements []Value
	// Cut says that the value is longer than what is kept of it.
	Cut bool
}

// IsNull tells whether the value is there and says "nothing".
func (v Value) IsNull() bool { return v.Kind == null }

// IsError tells whether the value is an error.
func (v Value) IsError() bool { return v.Kind == failure || v.Kind == blobError }

// at is an element, or nothing where there is none.
func (v Value) at(i int) Value {
	if i < len(v.Elements) {
		return v.Elements[i]
	}
	return Value{}
}
