// The new consumer: the same row, in one transaction with its idempotency record.
package main

import (
	"context"
	"database/sql"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/examples/sqs-charge-row/charges"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/sqsconsumer"
)

func main() {
	if err := run(); err != nil {
		slog.Error("consumer ended", "err", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	file, err := jobfile.Load(os.Getenv("TWICEPROOF_FILE"))
	if err != nil {
		return err
	}
	job, err := file.Job("charge.book")
	if err != nil {
		return err
	}
	ledger, err := charges.Open(os.Getenv("DATABASE_URL"))
	if err != nil {
		return err
	}
	defer ledger.DB.Close()
	guard, err := twiceproof.New(ledger.DB, twiceproof.Dialect(ledger.Dialect), job, twiceproof.Options{})
	if err != nil {
		return err
	}
	aws, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	consumer := sqsconsumer.Consumer{
		Client: sqs.NewFromConfig(aws), QueueURL: os.Getenv("QUEUE_URL"), Guard: guard, ActTx: booking{ledger}.book,
	}
	return consumer.Run(ctx)
}

type booking struct{ ledger *charges.Ledger }

func (b booking) book(ctx context.Context, tx *sql.Tx, op *twiceproof.Operation) error {
	c, err := charges.Parse(op.Body)
	if err != nil {
		return err
	}
	return b.ledger.Book(ctx, tx, c)
}
