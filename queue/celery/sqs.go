package celery

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"

	lab "github.com/twiceproof/twiceproof/lab/sqs"
	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/queue/sqs"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/httpwire"
)

// sqsBroker is an SQS endpoint in this process, whose log says what happened.
type sqsBroker struct {
	*copies
	endpoint   *lab.Endpoint
	visibility time.Duration
	stop       context.CancelFunc // of the one that reads the log
	ended      chan struct{}

	mu       sync.Mutex
	named    map[string]bool
	queues   map[string]int       // how much of each one's log was read
	messages map[delivery]message // by what the log calls them
	receipts map[string]string    // tags
}

// delivery names a copy in the log.
type delivery struct {
	queue, message string
	copy           int
}

// startSQS makes the endpoint with Celery's own queue on it, as it is there in production:
// what the workers would make it with does not count any more.
func startSQS(c *copies, visibility time.Duration) (*sqsBroker, error) {
	endpoint, err := lab.Start()
	if err != nil {
		return nil, err
	}
	c.delivers, c.silent = true, true
	ctx, stop := context.WithCancel(context.Background())
	b := &sqsBroker{
		copies: c, endpoint: endpoint, visibility: visibility, stop: stop, ended: make(chan struct{}),
		named: map[string]bool{}, queues: map[string]int{}, messages: map[delivery]message{}, receipts: map[string]string{},
	}
	b.make(standard)
	go func() {
		defer close(b.ended)
		_ = endpoint.Wait(ctx, standard, func(lab.Snapshot) bool { b.follow(0); return false })
	}()
	return b, nil
}

// make sees to it that a queue is there. One that a worker has made is as it made it.
func (b *sqsBroker) make(place string) {
	name := QueueOnSQS(place)
	_, _ = b.endpoint.CreateQueue(name, map[string]string{"VisibilityTimeout": fmt.Sprint(int(b.visibility / time.Second))})
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, known := b.queues[name]; !known {
		b.queues[name] = 0
	}
}

const fifoEnd = ".fifo" // of the name of a queue that keeps the order

// QueueOnSQS is what Celery calls a queue there.
func QueueOnSQS(place string) string {
	plain, fifo := strings.CutSuffix(place, fifoEnd)
	name := strings.Map(func(r rune) rune {
		switch {
		case r == '.':
			return '-'
		case r != '-' && r != '_' && r < unicode.MaxASCII && (unicode.IsPunct(r) || unicode.IsSymbol(r)):
			return '_'
		}
		return r
	}, plain)
	if fifo {
		name += fifoEnd
	}
	return name
}

type sqsWay struct{ *httpwire.Proxy }

func (w sqsWay) Addresses() queue.Addresses { return addressesOf(w.URL()) }

// addressesOf are Celery's form of the endpoint's address, and the URL of its queue for those
// that are told of it (predefined_queues).
func addressesOf(endpoint string) queue.Addresses {
	return queue.Addresses{Broker: "sqs://lab:lab@" + strings.TrimPrefix(endpoint, "http://"), Queue: endpoint + "/000000000000/" + standard}
}

func (b *sqsBroker) listen(gate *wire.Gate, worker string) (queue.Way, error) {
	b.mu.Lock()
	b.named[worker] = true
	b.mu.Unlock()
	name := func(r *http.Request, body []byte) string { return b.name(worker, r, body) }
	p, err := httpwire.Listen(gate, queue.Peer, b.endpoint.URL(), name, map[string]string{"X-Twiceproof-Worker": worker})
	if err != nil {
		return nil, err
	}
	b.endpoint.Via(worker, p.URL())
	return sqsWay{p}, nil
}

func (b *sqsBroker) direct() queue.Addresses { return addressesOf(b.endpoint.URL()) }

// name calls a step by what it means to the messages.
func (b *sqsBroker) name(worker string, r *http.Request, body []byte) string {
	action := sqs.StepName(r, body)
	if action != "DeleteMessage" {
		return action
	}
	b.follow(0)
	b.mu.Lock()
	tag := b.receipts[receiptIn(r, body)]
	b.mu.Unlock()
	return b.nameOfAck(worker, tag)
}

// receiptIn reads either protocol.
func receiptIn(r *http.Request, body []byte) string {
	var said struct{ ReceiptHandle string }
	if json.Unmarshal(body, &said) == nil {
		return said.ReceiptHandle
	}
	form, _ := url.ParseQuery(string(body)) // or it is in the address
	if receipt := form.Get("ReceiptHandle"); receipt != "" {
		return receipt
	}
	return r.URL.Query().Get("ReceiptHandle")
}

func (b *sqsBroker) push(place string, messages ...message) error {
	b.make(place)
	var all []lab.Message
	for _, m := range messages {
		all = append(all, lab.Message{Body: base64.StdEncoding.EncodeToString(m.encode())})
	}
	return b.endpoint.SendAll(QueueOnSQS(place), all...)
}

// readSQS reads an envelope, which is written in base64 unless the workers are told otherwise.
func readSQS(body string) (message, bool) {
	if decoded, err := base64.StdEncoding.DecodeString(body); err == nil {
		return read(decoded)
	}
	return read([]byte(body))
}

// replace takes the one that waits in a worker's memory out, as it would come once more.
func (b *sqsBroker) replace(d due) error {
	b.mu.Lock()
	for at, m := range b.messages {
		if d.in != "" && m.tag() == d.in {
			b.endpoint.Remove(at.queue, at.message, at.copy)
		}
	}
	b.mu.Unlock()
	return b.push(d.place, d.message)
}

func (b *sqsBroker) empty([]string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name := range b.queues {
		if err := b.endpoint.Lose(name); err != nil {
			return err
		}
	}
	return nil
}

func (b *sqsBroker) pass(time.Duration) error { return nil } // nothing but messages has a time there

func (b *sqsBroker) isEnd(s wire.Step) bool { return s.Text == stepAck }

func (b *sqsBroker) crossed(string, wire.Event) {} // the endpoint knows who asks

func (b *sqsBroker) version() map[string]string {
	return map[string]string{"sqs": lab.Name + " " + lab.Version}
}

func (b *sqsBroker) close() error {
	b.stop()
	<-b.ended
	return b.endpoint.Close()
}
