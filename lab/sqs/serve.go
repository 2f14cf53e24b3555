package sqs

import (
	"io"
	"net/http"

	"github.com/google/uuid"
)

// maxRequest is above the largest batch, base64 and escapes counted in.
const maxRequest = 8 << 20

// protocol reads requests and writes answers in one of the two forms. The
// writers add their own headers.
type protocol interface {
	read(r *http.Request, body []byte) (name string, q request, err *fault)
	answer(h http.Header, name, id string, answer any) []byte
	refuse(h http.Header, id string, err *fault) []byte
}

// ServeHTTP answers one action. A target header means JSON; anything else is a
// Query.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var p protocol = queryProtocol{}
	if r.Header.Get("X-Amz-Target") != "" {
		p = jsonProtocol{}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	id := uuid.NewString()
	w.Header().Set("x-amzn-RequestId", id)
	name, answer, refused := e.act(p, r, body)
	if refused != nil {
		text := p.refuse(w.Header(), id, refused)
		w.WriteHeader(refused.status)
		_, _ = w.Write(text) // an error here: the client has gone
		return
	}
	_, _ = w.Write(p.answer(w.Header(), name, id, answer))
}

func (e *Endpoint) act(p protocol, r *http.Request, body []byte) (string, any, *fault) {
	name, q, err := p.read(r, body)
	if err != nil {
		return name, nil, err
	}
	do, ok := actions[name]
	if !ok {
		return name, nil, invalidAction(name)
	}
	if q.client = r.Header.Get("X-Twiceproof-Worker"); q.client == "" {
		q.client = r.RemoteAddr
	}
	answer, err := do(e, r.Context(), q)
	return name, answer, err
}
