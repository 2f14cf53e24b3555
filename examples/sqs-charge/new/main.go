// The new consumer: the same charge behind a guard. Each order has one
// idempotency record in the application's own database.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/examples/sqs-charge/payments"
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
	job, err := file.Job("charge.create")
	if err != nil {
		return err
	}
	db, dialect, err := openDatabase(os.Getenv("DATABASE_URL"))
	if err != nil {
		return err
	}
	defer db.Close()
	charges := charging{payments.Client{URL: os.Getenv("PAYMENTS_URL")}}
	guard, err := twiceproof.New(db, dialect, job, twiceproof.Options{LookUp: charges.lookUp})
	if err != nil {
		return err
	}
	aws, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	return sqsconsumer.Run(ctx, sqs.NewFromConfig(aws), os.Getenv("QUEUE_URL"), guard, charges.charge)
}

type charging struct{ service payments.Client }

func (c charging) charge(ctx context.Context, op *twiceproof.Operation) error {
	wanted, err := chargeOf(op)
	if err != nil {
		return twiceproof.NotApplied(err)
	}
	if err := op.Check(ctx); err != nil {
		return err
	}
	made, err := c.service.Create(ctx, wanted)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return twiceproof.NotApplied(err) // nobody was there to charge
	}
	op.SetResult([]byte(made.ID))
	return err
}

// lookUp answers true only for this very charge: under this reference and with
// this amount. Anything else is not for a program to decide.
func (c charging) lookUp(ctx context.Context, op *twiceproof.Operation) (bool, error) {
	wanted, err := chargeOf(op)
	if err != nil {
		return false, err
	}
	made, err := c.service.Find(ctx, op.Reference)
	if errors.Is(err, payments.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if made.AmountCents != wanted.AmountCents || made.Currency != wanted.Currency {
		return false, fmt.Errorf("charge %s has this reference and another amount", made.ID)
	}
	op.SetResult([]byte(made.ID))
	return true, nil
}

func chargeOf(op *twiceproof.Operation) (payments.Charge, error) {
	var body struct {
		Order struct {
			ID string `json:"id"`
		} `json:"order"`
		AmountCents int64  `json:"amount_cents"`
		Currency    string `json:"currency"`
	}
	err := json.Unmarshal(op.Body, &body)
	return payments.Charge{
		OrderID: body.Order.ID, AmountCents: body.AmountCents, Currency: body.Currency, Reference: op.Reference,
	}, err
}
