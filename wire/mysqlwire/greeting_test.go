package mysqlwire

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// What is declined is declined to both sides, whatever they can; the rest stays.
func TestDeclined(t *testing.T) {
	const optionalMetadata, protocol41 = 1 << 25, 1 << 9
	for _, offersTLS := range []bool{false, true} {
		greeting := append([]byte{0, 0, 0, 0, protocol10, 'v', 0}, bytes.Repeat([]byte{0xff}, 40)...)
		if _, err := declineGreeting(packet{raw: greeting}, offersTLS); err != nil {
			t.Fatal(err)
		}
		b := greeting[7:]
		can := uint32(binary.LittleEndian.Uint16(b[18:]))<<16 | uint32(binary.LittleEndian.Uint16(b[13:]))
		if can&(canCompress|canZstd|canAttributes|optionalMetadata) != 0 || can&canSSL != 0 != offersTLS || can&protocol41 == 0 {
			t.Errorf("the server can %#x", can)
		}
	}
	response := append(make([]byte, header), bytes.Repeat([]byte{0xff}, 40)...)
	can, claimed, err := declineResponse(packet{raw: response})
	if said := binary.LittleEndian.Uint32(response[header:]); err != nil || can != said || can&(declined|optionalMetadata) != 0 || can&protocol41 == 0 || claimed != 1<<32-1 {
		t.Errorf("the worker can %#x, %#x, %#x, %v", can, said, claimed, err)
	}
}
