package pgwire

import "github.com/twiceproof/twiceproof/wire"

// copying is whether messages are the data of a COPY.
type copying int

const (
	notCopying  copying = iota
	copyQuery           // begun by a Query: CopyDone ends the step
	copyExecute         // begun by an Execute: a Sync comes after CopyDone
	copyBoth            // replication
)

// request is a step that is being put together.
type request struct {
	*namer
	kept    wire.Spool
	asked   int  // answers to come, not counting ReadyForQuery
	flushed bool // ends in Flush
	simple  bool // begun by a Query
	failed  bool // the server skips what comes, up to a Sync
	copying copying
	copy    string // the COPY whose data this is
}

// passes says that a message is no step and is not kept back either.
func (r *request) passes(f frame) bool {
	if r.copying == copyBoth && f.kind == copyDone {
		r.copying = notCopying
		return true
	}
	return r.copying == copyBoth || f.kind == terminate
}

func (r *request) add(f frame) error {
	r.see(f)
	switch f.kind {
	case query, functionCall:
		r.simple = true
	case parse, bind, closeNamed, describe, execute:
		r.asked++
	case copyDone, copyFail:
		if r.copying != notCopying {
			r.asked++
			r.copied(r.copy, f.kind)
		}
	}
	return r.kept.Add(f.raw)
}

// complete says that the step ends with this message. Within a COPY, the server
// takes no notice of Sync and Flush, unless it has ended the COPY by itself.
func (r *request) complete(f frame, aborted bool) bool {
	within := r.copying != notCopying && !aborted
	switch f.kind {
	case query, functionCall:
		return true
	case copyDone, copyFail:
		defer func() { r.copying = notCopying }()
		return r.copying == copyQuery
	case syncs:
		return !within
	case flush:
		r.flushed = !within && !r.failed
		return r.flushed
	}
	return false
}

// isNoStep says that no reply will come: nothing was asked, or a COPY is fed that
// the server has ended by itself, and the data will be thrown away.
func (r *request) isNoStep(f frame, aborted bool) bool {
	return r.flushed && r.asked == 0 || aborted && f.feeds()
}

// isAnswered says that the server must say something before ReadyForQuery.
func (r *request) isAnswered() bool { return r.simple || r.asked > 0 && !r.failed }

// noStep goes on after what was no step.
func (r *request) noStep() {
	if !r.flushed {
		r.start()
	}
	r.flushed = false
}

func (r *request) title() string {
	if r.flushed {
		return wire.Clip("Flush " + r.text())
	}
	return r.text()
}

// answered makes ready for the next step. What a Flush has sent stays in the text
// until ReadyForQuery.
func (r *request) answered(o outcome) {
	r.namer.answered(o.parsed)
	r.asked, r.flushed, r.failed = 0, false, o.failed
	switch o.end {
	case copyInResponse:
		r.copying = copyExecute
		if r.simple {
			r.copying = copyQuery
		}
		if r.copy == "" {
			r.copy = r.text()
		}
		r.namer.begin()
	case readyForQuery:
		r.start()
	case copyBothResponse:
		r.start()
		r.copying = copyBoth
	}
}

func (r *request) start() {
	r.namer.begin()
	*r = request{namer: r.namer, kept: r.kept}
}
