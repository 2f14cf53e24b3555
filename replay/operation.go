package replay

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// operation is one business operation of a case: its own value in the message.
type operation struct {
	value string
	key   string
	id    string // of its first message
}

// newOperation makes an operation that no other one of the case has.
func (w *world) newOperation() (operation, error) {
	w.made++
	return w.operationOf(value(w.Spec.Message, w.made))
}

func (w *world) operationOf(value string) (operation, error) {
	body, attributes := w.Spec.Message.Fill(value)
	fields, err := job.FieldsOf(w.Job.Queue, []byte(body), attributes)
	if err != nil {
		return operation{}, &hinted.Error{What: "the message template is no message: " + err.Error(), Hint: "correct message.body of the replay file"}
	}
	key, err := w.Job.Operation.KeyOf(fields)
	if err != nil {
		return operation{}, &hinted.Error{What: "the message template has no operation key: " + err.Error(), Hint: "put {{key}} where operation.key of the job file points to"}
	}
	op := operation{value: value, key: key}
	w.operations, w.values[op.value] = append(w.operations, op), true
	return op, nil
}

// similarOperations differ in one character, in case, in a trailing space (where
// the effect can name it) and in Unicode form (the same letters, composed and decomposed).
func (w *world) similarOperations() ([]operation, error) {
	base := value(w.Spec.Message, 1)
	values := []string{base, base + "0"}
	if !isNumber(w.Spec.Message) {
		values = []string{
			base, value(w.Spec.Message, 2), strings.ToUpper(base),
			base + "\u00e9", base + "e\u0301",
		}
		if !losesSpaces(w.Spec.Outside) {
			values = append(values, base+" ")
		}
	}
	var ops []operation
	for _, v := range values {
		op, err := w.operationOf(v)
		if err != nil {
			return nil, err
		}
		ops = append(ops, op)
	}
	return ops, nil
}

// value is the n-th operation's own value in the message.
func value(m jobfile.Message, n int) string {
	if isNumber(m) {
		return fmt.Sprint(700000 + n)
	}
	return fmt.Sprintf("replay-%d", n)
}

// isNumber tells whether {{key}} stands where JSON takes a number only.
func isNumber(m jobfile.Message) bool {
	number, _ := m.Fill("1")
	word, _ := m.Fill("x")
	return json.Valid([]byte(number)) && !json.Valid([]byte(word))
}

func (w *world) message(op operation) queue.Message {
	body, attributes := w.Spec.Message.Fill(op.value)
	return queue.Message{Body: body, Attributes: attributes}
}

// send puts the operation's message on the queue.
func (w *world) send(op *operation) (err error) {
	w.history.add(judge.Event{Event: judge.EventSent, Operation: op.key})
	op.id, err = w.queue.Send(w.message(*op))
	return err
}

// again puts the same message on the queue again, under the same message id.
func (w *world) again(op operation) error {
	w.history.add(judge.Event{Event: judge.EventSent, Operation: op.key, Message: op.id, Detail: "the same message again"})
	return w.queue.Redeliver(op.id)
}
