package differential_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// protocol is one of the two forms in which SQS is spoken.
type protocol string

const (
	jsonProtocol  protocol = "json"  // x-amz-json-1.0
	queryProtocol protocol = "query" // Query, with XML answers
)

// params are an action's parameters by the names of the JSON protocol: int,
// string, []string, map[string]string, []params (entries) or attributes.
type params map[string]any

// attributes are message attributes: name to type and value.
type attributes map[string]struct{ DataType, StringValue string }

// client speaks to one endpoint in one protocol. It is no SDK: it can leave out
// what an SDK insists on, and say the zero that some leave out.
type client struct {
	url string
	protocol
	through http.RoundTripper // nil: the network
}

// refused is an error answer of the service, by the code that the SDKs show.
type refused string

func (r refused) Error() string { return string(r) }

// scope lets an endpoint that serves many services see which one is meant. The
// signature is not looked at by any of them.
const scope = "AWS4-HMAC-SHA256 Credential=id/20250101/us-east-1/sqs/aws4_request, SignedHeaders=host, Signature=00"

func (c client) call(ctx context.Context, action string, p params) (answer, error) {
	r, err := c.request(ctx, action, p)
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Authorization", scope)
	got, err := (&http.Client{Transport: c.through}).Do(r)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = got.Body.Close() }()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		return answer{}, err
	}
	if got.StatusCode != http.StatusOK {
		return answer{}, c.refusal(got, body)
	}
	return c.read(body)
}

func (c client) request(ctx context.Context, action string, p params) (*http.Request, error) {
	if c.protocol == queryProtocol {
		form := url.Values{"Action": {action}, "Version": {"2012-11-05"}}
		flatten(form, action, "", p)
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/", strings.NewReader(form.Encode()))
		if err == nil {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		return r, err
	}
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/", bytes.NewReader(text))
	if err == nil {
		r.Header.Set("Content-Type", "application/x-amz-json-1.0")
		r.Header.Set("X-Amz-Target", "AmazonSQS."+action)
		r.Header.Set("X-Amzn-Query-Mode", "true")
	}
	return r, err
}

// flatten numbers lists and maps, as the Query protocol has it.
func flatten(form url.Values, action, prefix string, p params) {
	for name, value := range p {
		one := prefix + strings.TrimSuffix(name, "s") + "."
		switch v := value.(type) {
		case int:
			form.Set(prefix+name, strconv.Itoa(v))
		case string:
			form.Set(prefix+name, v)
		case []string:
			for i, s := range v {
				form.Set(one+strconv.Itoa(i+1), s)
			}
		case []params:
			for i, entry := range v {
				flatten(form, action, action+"RequestEntry."+strconv.Itoa(i+1)+".", entry)
			}
		case map[string]string:
			for i, key := range slices.Sorted(maps.Keys(v)) {
				n := one + strconv.Itoa(i+1)
				form.Set(n+".Name", key)
				form.Set(n+".Value", v[key])
			}
		case attributes:
			for i, key := range slices.Sorted(maps.Keys(v)) {
				n := one + strconv.Itoa(i+1)
				form.Set(n+".Name", key)
				form.Set(n+".Value.DataType", v[key].DataType)
				form.Set(n+".Value.StringValue", v[key].StringValue)
			}
		default:
			panic(fmt.Sprintf("parameter %s is a %T", name, value))
		}
	}
}

// refusal reads an error. In JSON an SDK shows the code in the header, and the
// shape in the body only where there is none.
func (c client) refusal(got *http.Response, body []byte) error {
	if c.protocol == queryProtocol {
		var e struct {
			Code string `xml:"Error>Code"`
		}
		if err := xml.Unmarshal(body, &e); err == nil && e.Code != "" {
			return refused(e.Code)
		}
		return refused("HTTP " + strconv.Itoa(got.StatusCode))
	}
	if code, _, _ := strings.Cut(got.Header.Get("X-Amzn-Query-Error"), ";"); code != "" {
		return refused(code)
	}
	var e struct {
		Type string `json:"__type"`
	}
	if err := json.Unmarshal(body, &e); err == nil && e.Type != "" {
		return refused(e.Type[strings.LastIndexByte(e.Type, '#')+1:])
	}
	return refused("HTTP " + strconv.Itoa(got.StatusCode))
}
