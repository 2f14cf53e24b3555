package pgwire

import (
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/wire"
)

// Status is how the server has answered a step.
type Status struct {
	// Results are the command tags and the errors, in order, since the last
	// ReadyForQuery: "INSERT 0 1", "COMMIT", "ERROR 23505".
	Results []string
	// Ready is the byte of ReadyForQuery: 'I' idle, 'T' in a transaction, 'E' in
	// one that has failed; 0 when the reply ended earlier (Flush, COPY FROM STDIN).
	Ready byte
}

// String is "INSERT 0 1; COMMIT I", "ERROR 23505 E", "SELECT 1 (3 times) I".
func (s Status) String() string {
	out := wire.Join(s.Results)
	if s.Ready == 0 {
		return out
	}
	return strings.TrimPrefix(out+" "+string(s.Ready), " ")
}

// ParseStatus reads what String has written. Repeats stay folded.
func ParseStatus(s string) Status {
	var out Status
	if n := len(s); n > 0 && strings.ContainsRune("ITE", rune(s[n-1])) && (n == 1 || s[n-2] == ' ') {
		out.Ready, s = s[n-1], strings.TrimSuffix(s[:n-1], " ")
	}
	if s != "" {
		out.Results = strings.Split(s, "; ")
	}
	return out
}

// Durable says that the step has made something durable: it holds a COMMIT (the
// server answers ROLLBACK to that of a failed transaction), or what follows the
// last ROLLBACK ended idle and without an error. CommandComplete alone says
// nothing: what it names is undone if the implicit transaction fails at its end.
//
// A statement that only read counts too, as it may have called a function that
// writes. What commits by itself and then fails does not: a procedure with a
// COMMIT inside, CREATE INDEX CONCURRENTLY, nextval.
func (s Status) Durable() bool {
	if slices.Contains(wire.Split(wire.Join(s.Results)), "COMMIT") {
		return true
	}
	for i := len(s.Results) - 1; i >= 0; i-- {
		switch r := s.Results[i]; {
		case isError(r):
			return false
		case strings.HasPrefix(r, "ROLLBACK") && r != "ROLLBACK PREPARED":
			return s.Ready == 'I' && i < len(s.Results)-1
		}
	}
	return s.Ready == 'I' && len(s.Results) > 0
}

// Durable is Status.Durable for a status as the gate's events have it.
func Durable(status string) bool { return ParseStatus(status).Durable() }

func isError(result string) bool {
	severity, _, _ := strings.Cut(result, " ")
	return severity == "ERROR" || severity == "FATAL" || severity == "PANIC"
}

// see takes a message of the server in.
func (s *Status) see(f frame) {
	switch f.kind {
	case commandComplete:
		tag, _ := text(f.body())
		s.Results = append(s.Results, tag)
	case errorResponse:
		s.Results = append(s.Results, field(f.body(), 'V')+" "+field(f.body(), 'C'))
	case portalSuspended:
		s.Results = append(s.Results, "PortalSuspended")
	case functionCallResponse:
		s.Results = append(s.Results, "FunctionCallResponse")
	case copyInResponse:
		s.Results = append(s.Results, "CopyInResponse")
	case copyBothResponse:
		s.Results = append(s.Results, "CopyBothResponse")
	case readyForQuery:
		s.Ready = f.raw[len(f.raw)-1]
	}
}
