package change

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/twiceproof/twiceproof/internal/visible"
	"github.com/twiceproof/twiceproof/job"
)

// unfilled stands where only the application's owner knows what to write. The replay
// refuses a file that still has it, and so does a database.
const unfilled = "FILL_IN"

const keyMark = "{{key}}"

// messageOf is a message's template in which every path of the operation finds a value,
// the first one of the key its operation's own.
func messageOf(j job.Job) (body string, attributes map[string]string, err error) {
	root := any(nil)
	for i, p := range append(append([]job.Path(nil), j.Operation.Key...), j.Operation.Fingerprint...) {
		value := any(unfilled)
		if i == 0 {
			value = keyMark
		}
		steps := pathStep.FindAllStringSubmatch(p.String(), -1)
		if p.Root() == "job" { // the message itself
			steps = steps[1:]
		}
		if root, err = with(root, steps, value); err != nil {
			return "", nil, problem("no message has every path of operation.key and operation.fingerprint: "+p.String()+" "+err.Error(), "correct the two in the job file")
		}
	}
	fields, _ := root.(map[string]any)
	if j.Queue != job.SQS {
		return jsonOf(fields), nil, nil
	}
	all, _ := fields["attributes"].(map[string]any)
	for name := range all { // plain values: a path goes no further
		if name == "" {
			return "", nil, problem("a path of the operation names an attribute without a name", "correct operation.key or operation.fingerprint in the job file")
		}
		if attributes == nil {
			attributes = map[string]string{}
		}
		attributes[name], _ = all[name].(string)
	}
	switch body := fields["body"].(type) {
	case nil:
		return unfilled, attributes, nil
	case string: // the key is all of it
		return body, attributes, nil
	default:
		return jsonOf(body), attributes, nil
	}
}

// jsonOf has nothing in it that does not show: a file is read by people.
func jsonOf(value any) string {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // plain values
	return string(visible.JSON(bytes.TrimSpace(text.Bytes())))
}

// pathStep is a place in a list, or a name in quotes or without.
var pathStep = regexp.MustCompile(`(?s)\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([^.\[\]"]+)`)

var unquoteName = strings.NewReplacer(`\"`, `"`, `\\`, `\`)

// gap is a place of a list that no path names.
type gap struct{}

func (gap) MarshalText() ([]byte, error) { return []byte(unfilled), nil }

func isFree(at any) bool { return at == nil || at == gap{} }

// mostPlaces is far beyond what anybody's list of arguments has.
const mostPlaces = 100

// with is the value with something put at a path, such as order.id or [0].id.
func with(at any, steps [][]string, value any) (_ any, err error) {
	if len(steps) == 0 {
		if !isFree(at) {
			return nil, errors.New("is around another one")
		}
		return value, nil
	}
	if steps[0][1] == "" {
		return within(at, steps, value)
	}
	list, is := at.([]any)
	n, err := strconv.Atoi(steps[0][1])
	switch {
	case err != nil || n >= mostPlaces:
		return nil, fmt.Errorf("is at a place beyond %d", mostPlaces)
	case !is && !isFree(at):
		return nil, errors.New("takes for a list what another one takes for something else")
	}
	for len(list) <= n {
		list = append(list, gap{})
	}
	list[n], err = with(list[n], steps[1:], value)
	return list, err
}

func within(at any, steps [][]string, value any) (_ any, err error) {
	object, is := at.(map[string]any)
	switch {
	case !is && !isFree(at):
		return nil, errors.New("takes for an object what another one takes for something else")
	case !is:
		object = map[string]any{}
	}
	name := steps[0][3] + unquoteName.Replace(steps[0][2]) // one of them is empty
	if strings.Contains(name, keyMark) {
		return nil, errors.New("has " + keyMark + " in it, for which a replay puts a key")
	}
	object[name], err = with(object[name], steps[1:], value)
	return object, err
}
