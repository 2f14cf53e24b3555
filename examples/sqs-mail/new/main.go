// The new consumer: the same mail behind a guard.
package main

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	_ "modernc.org/sqlite"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/examples/sqs-mail/mail"
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
	job, err := file.Job("receipt.mail")
	if err != nil {
		return err
	}
	path := strings.TrimPrefix(os.Getenv("DATABASE_URL"), "sqlite://")
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)")
	if err != nil {
		return err
	}
	defer db.Close()
	guard, err := twiceproof.New(db, twiceproof.SQLite, job, twiceproof.Options{})
	if err != nil {
		return err
	}
	aws, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	return sqsconsumer.Run(ctx, sqs.NewFromConfig(aws), os.Getenv("QUEUE_URL"), guard, send)
}

func send(ctx context.Context, op *twiceproof.Operation) error {
	receipt, err := mail.Parse(op.Body)
	if err != nil {
		return twiceproof.NotApplied(err)
	}
	if err := op.Check(ctx); err != nil {
		return err
	}
	err = mail.Send(os.Getenv("SMTP_ADDR"), receipt)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return twiceproof.NotApplied(err) // nobody was there to take the mail
	}
	return err
}
