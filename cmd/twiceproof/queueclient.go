package main

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go/logging"

	"github.com/twiceproof/twiceproof/internal/hinted"
)

// queueClient goes to the queue's own host where that is not Amazon's and no endpoint
// is set: the SDK itself would ask Amazon for a queue of that name.
func queueClient(ctx context.Context, queueURL string) (*awssqs.Client, error) {
	u, err := url.Parse(queueURL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || strings.Trim(u.Path, "/") == "" {
		return nil, &hinted.Error{
			What: "the queue's URL is none",
			Hint: "write --queue-url, or QUEUE_URL, such as https://sqs.eu-central-1.amazonaws.com/123456789012/charges",
		}
	}
	settings, err := config.LoadDefaultConfig(ctx, config.WithLogger(logging.Nop{})) // what it would log comes back as an error
	if err != nil {
		return nil, &hinted.Error{What: "the AWS settings cannot be read: " + err.Error(), Hint: "check AWS_REGION, AWS_PROFILE and what they name"}
	}
	return awssqs.NewFromConfig(settings, func(o *awssqs.Options) {
		if o.BaseEndpoint == nil && !amazons(u.Hostname()) {
			o.BaseEndpoint = aws.String(u.Scheme + "://" + u.Host)
		}
	}), nil
}

func amazons(host string) bool {
	host = strings.ToLower(host)
	return strings.HasSuffix(host, ".amazonaws.com") || strings.HasSuffix(host, ".amazonaws.com.cn")
}

// unlessRefused: where nobody listens, no setting but the address is wrong.
func unlessRefused(err error, hint string) string {
	if errors.Is(err, syscall.ECONNREFUSED) || strings.Contains(err.Error(), "connection refused") {
		return "nothing listens at that host and port: is the server running, and is the address right?"
	}
	if strings.Contains(err.Error(), "database is locked") {
		return "another process is writing into the file and holds its lock: run it again when that has ended"
	}
	return hint
}
