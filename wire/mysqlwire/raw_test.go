package mysqlwire_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/twiceproof/twiceproof/wire/mysqlwire"
)

const (
	capabilities = 1 | 1<<3 | 1<<9 | 1<<13 | 1<<15 | 1<<16 | 1<<17 | 1<<18 | 1<<19 // as most clients have them
	deprecateEOF = 1 << 24
)

// command is one packet.
func command(kind byte, body ...any) []byte {
	payload := []byte{kind}
	for _, b := range body {
		switch b := b.(type) {
		case string:
			payload = append(payload, b...)
		case uint32:
			payload = binary.LittleEndian.AppendUint32(payload, b)
		case byte:
			payload = append(payload, b)
		}
	}
	return packetOf(0, payload)
}

func packetOf(number byte, payload []byte) []byte {
	n := len(payload)
	return append([]byte{byte(n), byte(n >> 8), byte(n >> 16), number}, payload...)
}

// login says who the worker is, as root without a password, and reads the verdict.
func login(t testing.TB, address, database string, can uint32) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	onePacket(t, conn)
	body := binary.LittleEndian.AppendUint32(nil, can)
	body = binary.LittleEndian.AppendUint32(body, 1<<24)
	body = append(append(body, 45), make([]byte, 23)...)
	body = append(body, "root\x00\x00"+database+"\x00mysql_native_password\x00"...)
	conn.Write(packetOf(1, body))
	if verdict := onePacket(t, conn); verdict[0] != 0 {
		t.Fatalf("login: %q", verdict)
	}
	return conn
}

func onePacket(t testing.TB, conn io.Reader) []byte {
	t.Helper()
	head := make([]byte, 4)
	if _, err := io.ReadFull(conn, head); err != nil {
		t.Fatal(err)
	}
	payload := make([]byte, int(head[0])|int(head[1])<<8|int(head[2])<<16)
	if _, err := io.ReadFull(conn, payload); err != nil {
		t.Fatal(err)
	}
	return payload
}

// conversation is all that a worker may say, sent ahead; the steps that are seen in it.
func conversation(database string) (said [][]byte, steps []string) {
	const chosen = "SELECT id, note FROM t WHERE id >= ?"
	// flags, iterations, no NULLs, new types: one INT.
	cursor := "\x01\x01\x00\x00\x00\x00\x01\x03\x00\x01\x00\x00\x00"
	plain := "\x00" + cursor[1:]
	long := "\x00\x01\x00\x00\x00\x00\x01\x03\x00\xfc\x00\x07\x00\x00\x00"
	last, never := ^uint32(0), uint32(1<<30) // the statement that was prepared last, and none
	for _, c := range []struct {
		said []byte
		step string
	}{
		{command(0x03, "SELECT 1, NULL"), "SELECT ?, NULL [SELECT 1 I]"},
		{command(0x16, chosen), "Prepare " + chosen + " []"},
		{command(0x17, last, cursor), chosen + " [SELECT 0 I]"},
		{command(0x1c, last, uint32(1)), "Fetch " + chosen + " [SELECT 1 I]"},
		{command(0x1c, last, uint32(100)), "Fetch " + chosen + " [SELECT 1 I]"},
		{command(0x1a, last), "Reset " + chosen + " [OK]"},
		{command(0x17, last, plain), chosen + " [SELECT 2 I]"},
		{command(0x1a, never), "Reset [ERROR 1243 HY000]"},
		{command(0x19, last), ""},
		{command(0x17, last, plain), "Execute [ERROR 1243 HY000]"},
		{command(0x16, "NONSENSE"), "Prepare NONSENSE [ERROR 1064 42000]"},
		{command(0x17, last, plain), "Execute [ERROR 1243 HY000]"},
		{command(0x16, "INSERT INTO t VALUES (?, ?)"), "Prepare INSERT INTO t VALUES (?, ?) []"},
		{command(0x18, last, "\x01\x00", "a long one"), ""},
		{command(0x17, last, long), "INSERT INTO t VALUES (?, ?) [INSERT 1 I]"},
		{command(0x03, "DELETE FROM t WHERE id = 7"), "DELETE FROM t WHERE id = ? [DELETE 1 I]"},
		{command(0x04, "t\x00"), "FieldList [OK 2 I]"},
		{command(0x0e), "Ping [OK]"},
		{command(0x02, database), "InitDB [OK]"},
		{command(0x02, "nowhere"), "InitDB [ERROR 1049 42000]"},
		{command(0x1b, "\x01\x00"), "SetOption []"},
		{command(0x03, "SELECT 1; SELECT 2"), "SELECT ? (2 times) [ERROR 1064 42000]"},
		{command(0x03, ""), "Query [ERROR 1065 42000]"},
		{command(0x03, "BEGIN"), "BEGIN [BEGIN T]"},
		{command(0x03, "BEGIN"), "BEGIN [COMMIT T; BEGIN T]"},
		{command(0x1f), "ResetConnection [OK]"},
		{command(0x03, "BEGIN"), "BEGIN [BEGIN T]"},
		{command(0x01), ""},
	} {
		said = append(said, c.said)
		if c.step != "" {
			steps = append(steps, c.step)
		}
	}
	return said, steps
}

// What the server answers arrives byte for byte, also to a worker that does not wait for
// it: the same is said to the server itself.
func TestBytesPassUnchanged(t *testing.T) {
	for _, can := range []uint32{capabilities, capabilities | deprecateEOF} {
		t.Run(fmt.Sprintf("%#x", can), func(t *testing.T) {
			s := start(t)
			execOn(t, s.direct, "INSERT INTO t VALUES (1, 'a'), (2, 'b')")
			config, err := mysql.ParseDSN(s.dsn)
			if err != nil {
				t.Fatal(err)
			}
			said, steps := conversation(config.DBName)
			var heard [2][]byte
			for i, address := range []string{config.Addr, s.proxy.Addr()} {
				conn := login(t, address, config.DBName, can)
				conn.Write(bytes.Join(said, nil))
				if heard[i], err = io.ReadAll(conn); err != nil {
					t.Fatal(err)
				}
			}
			for i := range heard { // the server numbers the statements of all connections
				heard[i] = regexp.MustCompile(`(?s)\x0c\x00\x00\x01\x00....`).ReplaceAllLiteral(heard[i], []byte("prepared"))
			}
			if !bytes.Equal(heard[0], heard[1]) {
				t.Errorf("heard\n%q\nfrom the server itself\n%q", heard[1], heard[0])
			}
			s.Want(t, steps...)
		})
	}
}

// Another account on the same connection: the messages go back and forth, and what was
// prepared is forgotten.
func TestChangeUser(t *testing.T) {
	s := start(t)
	name := database(t, s)
	conn := login(t, s.proxy.Addr(), name, capabilities)
	conn.Write(command(0x16, "DO 1"))
	onePacket(t, conn)
	if verdict := changeUser(t, conn, "root", name); verdict[0] != 0 {
		t.Fatalf("%q", verdict)
	}
	conn.Write(command(0x17, uint32(1), "\x00\x01\x00\x00\x00"))
	if answer := onePacket(t, conn); answer[0] != 0xff {
		t.Errorf("executed: %q", answer)
	}
	s.Want(t, "Prepare DO ? []", "Execute [ERROR 1243 HY000]")
	if verdict := changeUser(t, conn, "nobody", name); verdict[0] != 0xff {
		t.Errorf("%q", verdict)
	}
}

func changeUser(t *testing.T, conn net.Conn, user, database string) (verdict []byte) {
	t.Helper()
	conn.Write(command(0x11, user+"\x00\x00"+database+"\x00\x2d\x00mysql_native_password\x00"))
	verdict = onePacket(t, conn)
	if verdict[0] == 0xfe { // asks once more
		conn.Write(packetOf(2, nil))
		verdict = onePacket(t, conn)
	}
	return verdict
}

// A command that is not known ends the connection before the server has heard of it.
func TestUnknownCommand(t *testing.T) {
	const compression = 1 << 5
	for _, c := range []struct {
		can   uint32
		said  []byte
		noted string
	}{
		{capabilities, command(0x12, "\x04\x00\x00\x00\x00\x00\x01\x00\x00\x00"), "command 0x12 is not known"}, // replication
		{capabilities | compression, append([]byte{5, 0, 0, 0, 0, 0, 0}, command(0x0e)...), "it compresses, which is not offered"},
	} {
		s := start(t)
		conn := login(t, s.proxy.Addr(), database(t, s), c.can)
		conn.Write(c.said)
		if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Error("it was answered")
		}
		s.quiet(t)
		s.Want(t)
		if notes := s.Unreadable(); len(notes) != 1 || !strings.Contains(notes[0], "the worker does not speak MySQL's protocol: "+c.noted) {
			t.Errorf("notes %q, want %q", notes, c.noted)
		}
	}
}

// A worker that goes in the middle of a command: no part of it is forwarded, also when
// the first of its packets was whole.
func TestCutInTheMiddle(t *testing.T) {
	s := start(t)
	s.allowLarge(t)
	const statement = "INSERT INTO t VALUES (1, 'a')"
	whole := command(0x03, statement, strings.Repeat(" ", 1<<24-2-len(statement)))
	for _, said := range [][]byte{command(0x03, statement)[:9], command(0x03, statement)[:3], whole, whole[:1<<20]} {
		conn := login(t, s.proxy.Addr(), database(t, s), capabilities)
		conn.Write(said)
		conn.Close()
	}
	for alive(t, s) { // the proxy lets go once it has read all of it
	}
	s.quiet(t)
	s.Want(t)
	if n := s.count(t); n != 0 {
		t.Errorf("%d rows", n)
	}

	// The control: the rest of it comes.
	conn := login(t, s.proxy.Addr(), database(t, s), capabilities)
	conn.Write(append(whole, 1, 0, 0, 1, ' '))
	if answer := onePacket(t, conn); answer[0] != 0 {
		t.Errorf("answer %q", answer)
	}
	s.Want(t, "INSERT INTO t VALUES (?, ?) [INSERT 1 I]")
}

// What is not MySQL is turned away, and so is a worker that encrypts unasked.
func TestTurnedAway(t *testing.T) {
	s := start(t)
	for _, first := range []string{
		"GET / HTTP/1.1\r\n\r\n" + strings.Repeat("x", 1<<23),
		"\x20\x00\x00\x01\x05\xaa\x0f\x00" + strings.Repeat("\x00", 28), // SSLRequest
		"\x04\x00\x00\x01\x05\xa2\x0f\x00",                              // cut short
		"\x00\x00\x00\x01",
	} {
		conn, err := net.Dial("tcp", s.proxy.Addr())
		if err != nil {
			t.Fatal(err)
		}
		onePacket(t, conn)
		conn.Write([]byte(first))
		if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Errorf("%.20q was answered", first)
		}
		conn.Close()
	}
	if _, err := mysqlwire.Listen(s.gate, "database", "localhost", nil); err == nil {
		t.Error("an upstream without a port was taken")
	}
	s.Want(t)
}

func database(t testing.TB, s *setup) string {
	t.Helper()
	config, err := mysql.ParseDSN(s.dsn)
	if err != nil {
		t.Fatal(err)
	}
	return config.DBName
}
