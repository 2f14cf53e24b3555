package readqueue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	amqp "github.com/rabbitmq/amqp091-go"
)

// Policy asks the broker's management API (its plugin rabbitmq_management) for what
// policies add to a queue, which AMQP does not tell, and neither how long the broker waits
// for an acknowledgement in this queue: consumer-timeout of a policy or, if that is
// shorter, of the queue's own arguments. The virtual host is that of the broker's address.
func Policy(ctx context.Context, api, address, queue string) (map[string]string, error) {
	u, err := url.Parse(api)
	if err != nil || u.Host == "" {
		return nil, errors.New("the address cannot be read") // the error itself would show it
	}
	broker, err := amqp.ParseURI(address)
	if err != nil {
		return nil, errors.New("the broker's address cannot be read")
	}
	account := u.User
	u.User = nil // errors show the address
	u = u.JoinPath("api", "queues", url.PathEscape(broker.Vhost), url.PathEscape(queue))
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	if account != nil {
		password, _ := account.Password()
		request.SetBasicAuth(account.Username(), password)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answers %s", response.Status)
	}
	var answer struct {
		Policy    json.RawMessage `json:"effective_policy_definition"` // an empty one is a list in some versions
		Arguments json.RawMessage `json:"arguments"`                   // likewise
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil, fmt.Errorf("its answer is not understood: %w", err)
	}
	all, own := textsOf(answer.Policy), textsOf(answer.Arguments)
	const timeout = "consumer-timeout"
	if n, is := own["x-"+timeout]; is && (all[timeout] == "" || shorter(n, all[timeout])) {
		all[timeout] = n
	}
	return all, nil
}

func textsOf(object json.RawMessage) map[string]string {
	values, all := map[string]any{}, map[string]string{}
	_ = json.Unmarshal(object, &values)
	for name, value := range values {
		all[name] = fmt.Sprint(value)
		if n, is := value.(float64); is {
			all[name] = fmt.Sprintf("%.0f", n)
		}
	}
	return all
}

func shorter(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }
