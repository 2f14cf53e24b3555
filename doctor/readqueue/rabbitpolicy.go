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
// policies add to a queue, which AMQP does not tell. The virtual host is that of the
// broker's address.
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
		Policy json.RawMessage `json:"effective_policy_definition"` // an empty one is a list in some versions
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil, fmt.Errorf("its answer is not understood: %w", err)
	}
	definition, all := map[string]any{}, map[string]string{}
	_ = json.Unmarshal(answer.Policy, &definition)
	for name, value := range definition {
		all[name] = fmt.Sprint(value)
		if n, is := value.(float64); is {
			all[name] = fmt.Sprintf("%.0f", n)
		}
	}
	return all, nil
}
