package main

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/replay"
	"github.com/twiceproof/twiceproof/sqsconsumer"
)

const reachable = 15 * time.Second

// openRecords opens the database and sees that the table can be read.
func openRecords(ctx context.Context, dsn, table string) (*sql.DB, twiceproof.Dialect, error) {
	db, dialect, err := openDSN(dsn)
	if err != nil {
		return nil, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, reachable)
	defer cancel()
	// The table's name is a plain identifier: the job file takes no other.
	_, err = db.ExecContext(ctx, "SELECT requeues, requeued_at FROM "+table+" WHERE 1 = 0")
	if err != nil {
		_ = db.Close()
		return nil, "", &replay.Problem{What: "the records cannot be read: " + err.Error(), Hint: "check --dsn, and that the database has the table " + table}
	}
	return db, dialect, nil
}

// openDSN never says what the address was: it may hold a password.
func openDSN(dsn string) (*sql.DB, twiceproof.Dialect, error) {
	scheme, rest, _ := strings.Cut(dsn, "://")
	switch scheme {
	case "postgres", "postgresql":
		db, err := sql.Open("pgx", dsn)
		return db, twiceproof.Postgres, err
	case "sqlite":
		path, _, _ := strings.Cut(rest, "?")
		if _, err := os.Stat(path); err != nil { // SQLite would make an empty one
			return nil, "", &replay.Problem{What: "there is no such SQLite database", Hint: "write --dsn sqlite:///path, with the whole path of the file"}
		}
		file := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: "mode=rw&_pragma=busy_timeout(5000)"}
		db, err := sql.Open("sqlite", file.String())
		return db, twiceproof.SQLite, err
	case "":
		return nil, "", &replay.Problem{What: "no database is named", Hint: "give --dsn, or set DATABASE_URL, to sqlite:///path or postgres://…"}
	}
	return nil, "", &replay.Problem{What: "the database's address is of no known kind", Hint: "write --dsn sqlite:///path or postgres://…"}
}

// putBack sees first that the queue is there: each message that it did not take
// would use up one of its operation's put backs.
func putBack(ctx context.Context, j job.Job, queueURL string) (func(context.Context, []byte) error, error) {
	switch {
	case j.Queue != job.SQS:
		return nil, &replay.Problem{What: "a message of " + string(j.Queue) + " cannot be put back yet", Hint: "without --apply the sweep tells what there is to do"}
	case queueURL == "":
		return nil, &replay.Problem{What: "no queue is named", Hint: "give --queue-url, or set QUEUE_URL"}
	}
	settings, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, &replay.Problem{What: "the AWS settings cannot be read: " + err.Error(), Hint: "check AWS_REGION, AWS_PROFILE and what they name"}
	}
	client := awssqs.NewFromConfig(settings)
	asking, cancel := context.WithTimeout(ctx, reachable)
	defer cancel()
	_, err = client.GetQueueAttributes(asking, &awssqs.GetQueueAttributesInput{
		QueueUrl: &queueURL, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn},
	})
	if err != nil && !mayNotAsk(err) {
		return nil, &replay.Problem{What: "the queue cannot be reached: " + err.Error(), Hint: "check --queue-url, AWS_REGION and the credentials"}
	}
	return func(ctx context.Context, message []byte) error {
		return sqsconsumer.PutBack(ctx, client, queueURL, message)
	}, nil
}

// mayNotAsk: whoever may send need not have the permission to ask.
func mayNotAsk(err error) bool {
	var refused smithy.APIError
	return errors.As(err, &refused) && strings.HasPrefix(refused.ErrorCode(), "AccessDenied")
}
