package pgwire

import (
	"encoding/binary"
	"strings"

	"github.com/twiceproof/twiceproof/wire"
)

// flight is a step that was let through, until its reply has been passed on.
type flight struct {
	crossing *wire.Crossing
	expected int // answers of a Flush; 0: the reply ends at ReadyForQuery
	reply    wire.Spool
	status   Status
	parsed   int
	fatal    bool
	simple   bool // begun by a Query
	owed     bool // an answer has to come before ReadyForQuery
}

// add takes a message of the server in, and says whether the reply ends with it.
func (f *flight) add(m frame) (ended bool, err error) {
	f.status.see(m)
	f.fatal = f.fatal || m.fatal()
	f.owed = f.owed && strings.IndexByte(unasked, m.kind) >= 0
	if m.kind == parseComplete {
		f.parsed++
	}
	return f.endsWith(m.kind), f.reply.Add(m.raw)
}

func (f *flight) endsWith(kind byte) bool {
	switch {
	case kind == readyForQuery, kind == copyInResponse, kind == copyBothResponse:
		return true
	case f.expected == 0 || f.fatal:
		return false
	case kind == errorResponse:
		return true
	case strings.IndexByte(answers, kind) >= 0:
		f.expected--
		return f.expected == 0
	}
	return false
}

// relay is what replies keeps from message to message.
type relay struct {
	*session
	started bool
	loose   []byte   // belongs to no step, and is on its way to the worker
	results []string // since the last ReadyForQuery
	doubt   bool     // one more ReadyForQuery may come than there are steps
}

// replies carries what the server says, until it goes.
func (s *session) replies() {
	defer close(s.over)
	r := relay{session: s}
	var err error
	for err == nil {
		err = r.next()
	}
	_ = r.flushLoose()
	s.proxy.Blame("server", protocol, err)
	s.up.Close()
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	if f := s.land(); f != nil {
		r.abandon(f, err)
	}
	s.client.Close()
}

func (r *relay) next() error {
	m, err := r.fromServer.next()
	if err != nil {
		return err
	}
	f := r.underWay(m.kind)
	if f == nil || r.isStray(f, m) {
		return r.pass(m)
	}
	if err := r.flushLoose(); err != nil {
		return err
	}
	if ended, err := f.add(m); err != nil || !ended {
		return err
	}
	return r.finish(r.land(), m.kind)
}

// isStray: a ReadyForQuery without the answer that must come first belongs to an
// earlier Sync. Counter-example: Execute of a COPY, its Sync, and CopyDone with
// one more Sync. The first Sync counts for nothing, unless the COPY fails before
// it has read anything; then both are answered.
func (r *relay) isStray(f *flight, m frame) bool {
	return r.doubt && f.owed && m.kind == readyForQuery
}

// pass passes on what belongs to no step, in as few writes as it came.
func (r *relay) pass(m frame) error {
	if m.kind == backendKeyData && !r.started {
		r.proxy.met(binary.BigEndian.Uint32(m.body()))
	}
	r.loose = append(r.loose, m.raw...)
	r.noteAbort(m)
	starts := m.kind == readyForQuery && !r.started
	if r.fromServer.Buffered() > 0 && len(r.loose) < keep && !starts {
		return nil
	}
	if err := r.flushLoose(); err != nil || !starts {
		return err
	}
	r.started = true
	r.turn <- outcome{end: readyForQuery}
	return nil
}

// noteAbort keeps the status right when the server ends a COPY by itself.
func (r *relay) noteAbort(m frame) {
	switch m.kind {
	case errorResponse:
		var s Status
		s.see(m)
		r.results = append(r.results, s.Results...)
	case readyForQuery:
		r.results = nil
	}
}

func (r *relay) flushLoose() error {
	if len(r.loose) == 0 {
		return nil
	}
	_, err := r.client.Write(r.loose)
	r.loose = r.loose[:0]
	return err
}

// finish passes a reply on, and hands the turn over.
func (r *relay) finish(f *flight, end byte) error {
	r.results = append(r.results, f.status.Results...)
	status := Status{Results: r.results, Ready: f.status.Ready}
	if err := f.crossing.Reply(status.String()); err != nil {
		f.reply.Drop()
		return err
	}
	if err := f.reply.Send(r.client); err != nil {
		return err
	}
	failed := false
	switch end {
	case readyForQuery:
		r.results = nil
	case copyInResponse:
		r.doubt = r.doubt || !f.simple
		r.results = r.results[:len(r.results)-1] // the COPY itself has yet to end
	case errorResponse:
		failed = true
	}
	r.turn <- outcome{end: end, failed: failed, parsed: f.parsed}
	return nil
}

// abandon ends the step of a connection that has ended. A FATAL error is a reply:
// it is the server's last word.
func (r *relay) abandon(f *flight, err error) {
	defer f.reply.Drop()
	if !f.fatal {
		f.crossing.Lost(r.why(err))
		return
	}
	status := Status{Results: append(r.results, f.status.Results...)}
	if f.crossing.Reply(status.String()) == nil {
		_ = f.reply.Send(r.client) // the connection is at its end either way
	}
}

func (s *session) why(err error) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return "client has gone"
	}
	return "server has gone: " + err.Error()
}
