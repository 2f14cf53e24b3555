package replay

import (
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire/httpwire"
)

// proxy is one way of a worker to a peer.
type proxy interface{ Close() }

// listen makes the worker's own proxies. What has no wire is told as it is.
func (w *world) listen(k *worker) (addresses, error) {
	a := addresses{
		database: w.address, mail: w.mailAddress(), jobFile: w.jobFile(), refuse: w.refuse.URL(), temp: w.folder, authority: w.authorityFile(),
	}
	w.offer(k.gate)
	toQueue, err := w.queue.Listen(k.gate, k.name)
	if err != nil {
		return a, err
	}
	k.proxies, a.queue = append(k.proxies, toQueue), w.secured(toQueue.Addresses())
	if w.outside != nil {
		toOutside, err := httpwire.Listen(k.gate, judge.PeerOutside, w.outside.URL(), nil, nil)
		if err != nil {
			return a, err
		}
		k.proxies, a.outside = append(k.proxies, toOutside), toOutside.URL()
		if len(w.Spec.Outside.Hosts) > 0 {
			if a.refuse, err = w.stand(k, toOutside); err != nil {
				return a, err
			}
		}
	}
	if w.server != nil {
		a.database, err = w.listenDatabase(k)
	}
	return a, err
}

// listenDatabase gives the database's address as the worker is told it.
func (w *world) listenDatabase(k *worker) (address string, err error) {
	if k.database, err = w.server.listen(k.gate); err != nil {
		return "", err
	}
	k.proxies = append(k.proxies, k.database)
	return w.by(k.database)
}

func (w *world) mailAddress() string {
	if w.mail == nil {
		return ""
	}
	return w.mail.Addr()
}
