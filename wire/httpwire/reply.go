package httpwire

import (
	"errors"
	"io"
	"net/http"
	"strconv"
)

// maxBody bounds what is kept of one request or reply.
const maxBody = 64 << 20

var errTooLarge = errors.New("body is larger than 64 MiB")

// reply is a peer's reply, read whole.
type reply struct {
	status int
	header http.Header
	body   []byte
	last   bool // of its connection
}

// pass writes the reply as it came. A key that is set to nil keeps net/http from
// adding a header that the peer did not send.
func (a reply) pass(w http.ResponseWriter) {
	h := w.Header()
	h["Date"], h["Content-Type"] = nil, nil
	for name, values := range endToEnd(a.header) {
		h[name] = values
	}
	if len(a.body) > 0 {
		h.Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	w.WriteHeader(a.status)
	w.Write(a.body)
}

// readWhole reads a body to its end. It reads to the end of a request's body for
// a second reason: net/http watches for a client that goes only after that.
func readWhole(body io.Reader) ([]byte, error) {
	whole, err := io.ReadAll(io.LimitReader(body, maxBody+1))
	if err == nil && len(whole) > maxBody {
		err = errTooLarge
	}
	return whole, err
}

// refuseBody answers a request that never became a step.
func refuseBody(w http.ResponseWriter, err error) {
	if !errors.Is(err, errTooLarge) {
		panic(http.ErrAbortHandler) // the client went while it was sending
	}
	http.Error(w, "replay proxy: "+err.Error(), http.StatusRequestEntityTooLarge)
}

func readCloser(r io.Reader) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{r, http.NoBody}
}
