package replay

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/httpwire"
)

// Workers that insist on TLS have it as far as their proxies, which end it. The servers
// behind are the replay's own and speak clear text.

// makeAuthority makes one for this replay, where the replay file asks for TLS.
func (l *lab) makeAuthority() (err error) {
	if l.Spec.Database.TLS || l.Spec.Queue.TLS || len(l.Spec.Outside.Hosts) > 0 {
		l.authority, err = wire.NewAuthority()
	}
	return err
}

// authorityFile is where the workers find its certificate; empty where there is none.
func (w *world) authorityFile() string {
	if w.authority == nil {
		return ""
	}
	return filepath.Join(w.folder, "ca.pem")
}

func (w *world) writeAuthority() error {
	if w.authority == nil {
		return nil
	}
	return os.WriteFile(w.authorityFile(), w.authority.PEM(), 0o644) //nolint:gosec // the workers may run as another user
}

// trusting are the variables by which clients find whom to trust: OpenSSL's and Go's, so those
// of Python and Ruby; of requests, curl, boto3; libpq's; and that of Node.js, which adds to its own.
var trusting = []string{"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "PGSSLROOTCERT", "NODE_EXTRA_CA_CERTS"}

const here = "127.0.0.1"

// offer lets a gate's proxies end TLS. Clients of PostgreSQL may name their protocol.
func (w *world) offer(gate *wire.Gate) {
	if w.Spec.Database.TLS {
		gate.Offer(judge.PeerDatabase, w.authority.Config(here, "postgresql"))
	}
	if w.Spec.Queue.TLS {
		gate.Offer(queue.Peer, w.authority.Config(here))
	}
}

// by is the database's address by way of a proxy. There is one such form of PostgreSQL's
// clients only.
func (w *world) by(p databaseProxy) (string, error) {
	address, err := url.Parse(w.address)
	if err != nil {
		return "", err
	}
	address.Host = p.Addr()
	if w.Spec.Database.TLS && w.Spec.Database.Kind == jobfile.Postgres {
		address.RawQuery = url.Values{"sslmode": {"verify-full"}, "sslrootcert": {w.authorityFile()}}.Encode()
	}
	return address.String(), nil
}

// direct is the database's address for what is no worker, and how to let go of it.
func (w *world) direct() (address string, done func(), err error) {
	if !w.Spec.Database.TLS {
		return w.address, func() {}, nil
	}
	gate := wire.NewGate(nil)
	w.offer(gate)
	p, err := w.server.listen(gate)
	if err != nil {
		return "", nil, err
	}
	address, err = w.by(p)
	return address, func() { p.Close(); gate.Close() }, err
}

// secured is the queue's address as its clients write it for TLS. Celery wants it said that a
// certificate is to be checked.
func (w *world) secured(a queue.Addresses) queue.Addresses {
	if !w.Spec.Queue.TLS {
		return a
	}
	a.Broker = strings.Replace(a.Broker, "://", "s://", 1)
	if w.Job.Queue == job.Celery && strings.HasPrefix(a.Broker, "rediss:") {
		a.Broker += "?ssl_cert_reqs=CERT_REQUIRED"
	}
	return a
}

// stand lets a worker's calls of the hosts that the replay file names reach the stand-in.
func (w *world) stand(k *worker, outside *httpwire.Proxy) (proxy string, err error) {
	secure := func(host string) *tls.Config { return w.authority.Config(host, "http/1.1") }
	s, err := outside.StandFor(w.Spec.Outside.Hosts, secure, w.refused)
	if err != nil {
		return "", err
	}
	k.proxies = append(k.proxies, s)
	return s.URL(), nil
}

// unsecured says why a worker was not given TLS, or did not take it: nothing can be said of
// its job then. One that was killed may have been in its handshake.
func (w *world) unsecured() error {
	for _, k := range w.workers {
		for _, p := range k.proxies {
			tried, ok := p.(interface{ WhyUnsecured() error })
			if !ok || k.killed.Load() || tried.WhyUnsecured() == nil {
				continue
			}
			problem := tlsProblem(w.plan.Version, k.peerOf(p), tried.WhyUnsecured())
			problem.Output = tail(k.process.Printed())
			return problem
		}
	}
	return nil
}

// peerOf names a proxy's peer as the sections of the replay file do.
func (k *worker) peerOf(p proxy) string {
	if _, ok := p.(*httpwire.Stand); ok {
		return judge.PeerOutside
	}
	if k.database != nil && p == k.database {
		return judge.PeerDatabase
	}
	return queue.Peer
}

func tlsProblem(version, peer string, why error) *hinted.Error {
	if errors.Is(why, wire.ErrDeclined) {
		return &hinted.Error{
			What: fmt.Sprintf("a worker of version %q wants TLS of its %s, and the replay offers none", version, peer),
			Hint: fmt.Sprintf("write tls: true under %s of the replay file", peer),
		}
	}
	return &hinted.Error{
		What: fmt.Sprintf("a worker of version %q did not take the replay's certificate for its %s: %v", version, peer, why),
		Hint: "let it trust the file that " + strings.Join(trusting, ", ") + " name; where its code names another, let it take the path from a variable, and name that as environment.ca",
	}
}
