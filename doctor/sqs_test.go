package doctor_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/twiceproof/twiceproof/doctor"
	"github.com/twiceproof/twiceproof/doctor/readqueue"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/lab/sqs"
)

func TestSQS(t *testing.T) {
	e, err := sqs.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	client := awssqs.New(awssqs.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(e.URL()), Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
	})
	const fortnight = "1209600"
	redrive := func(dead string, n int) string {
		return fmt.Sprintf(`{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:%s","maxReceiveCount":%d}`, dead, n)
	}
	for i, c := range []struct {
		id, attribute, do, undo string
		jobs                    []job.Job
		onDead                  bool
	}{
		{"sqs.visibility", "VisibilityTimeout", "39", "150", theJob(t, job.SQS), false},
		{"sqs.max_receive", "RedrivePolicy", "15", "16", theJob(t, job.SQS), false}, // 1 + 2 for each of 5 takeovers + 5 look-ups
		{"sqs.max_receive", "RedrivePolicy", "2", "3", theJob(t, job.SQS, "{policy: lookup, settle: 30s}", "{policy: hold}"), false},
		{"sqs.max_receive", "RedrivePolicy", "4", "5", theJob(t, job.SQS, "{policy: lookup, settle: 30s}", "{policy: accept_duplicate}"), false},
		{"sqs.max_receive", "RedrivePolicy", "6", "7", theJob(t, job.SQS, "{policy: lookup, settle: 30s}", "{policy: resend, reference_window: 24h, max_takeovers: 3}"), false},
		{"sqs.max_receive", "RedrivePolicy", "2", "3", ownRow(t, job.SQS), false},
		{"sqs.max_receive", "RedrivePolicy", "10", "11", theJob(t, job.Celery), false}, // which puts a copy back
		{"sqs.retention", "MessageRetentionPeriod", "600", "345600", theJob(t, job.SQS), false},
		{"sqs.dead_letter_retention", "MessageRetentionPeriod", "345600", fortnight, theJob(t, job.SQS), true},
		{"sqs.content_dedup", "ContentBasedDeduplication", "true", "false", theJob(t, job.SQS, "body.order", "attributes.order"), false},
		{"job.retention_short", "MessageRetentionPeriod", fortnight, "345600", theJob(t, job.SQS, "400d", "15d"), true},
	} {
		t.Run(fmt.Sprint(c.id, i), func(t *testing.T) {
			suffix := fmt.Sprint("-", i, ".fifo")
			dead, err := e.CreateQueue("dead"+suffix, map[string]string{"FifoQueue": "true", "MessageRetentionPeriod": fortnight})
			if err != nil {
				t.Fatal(err)
			}
			url, err := e.CreateQueue("charges"+suffix, map[string]string{
				"FifoQueue": "true", "VisibilityTimeout": "150", "MessageRetentionPeriod": "345600", "RedrivePolicy": redrive("dead"+suffix, 1000), "DelaySeconds": "60",
			})
			if err != nil {
				t.Fatal(err)
			}
			changed := url
			if c.onDead {
				changed = dead
			}
			set := func(value string) {
				t.Helper()
				if c.attribute == "RedrivePolicy" {
					value = redrive("dead"+suffix, number(t, value))
				}
				_, err := client.SetQueueAttributes(ctxFor(t), &awssqs.SetQueueAttributesInput{QueueUrl: &changed, Attributes: map[string]string{c.attribute: value}})
				if err != nil {
					t.Fatal(err)
				}
			}
			if c.id == "job.retention_short" {
				set("864000") // 4 and 10 days, and a minute, are less than 15
				c.undo = "864000"
			}
			comesAndGoes(t, c.id, func() doctor.Report {
				q, err := readqueue.SQS(ctxFor(t), client, url)
				if err != nil {
					t.Fatal(err)
				}
				r := doctor.Examine(doctor.Facts{SQS: q, Jobs: c.jobs})
				if len(r.Gaps) > 0 {
					t.Errorf("%+v", r.Gaps)
				}
				return r
			}, func() { set(c.do) }, func() { set(c.undo) })
		})
	}
	if _, err := readqueue.SQS(ctxFor(t), client, e.URL()+"/000000000000/nobody"); err == nil {
		t.Error("a queue that is not there was read")
	}
}

func number(t *testing.T, text string) (n int) {
	if _, err := fmt.Sscan(text, &n); err != nil {
		t.Fatal(err)
	}
	return n
}
