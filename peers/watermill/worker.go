//go:build ignore

// A consumer whose handler is behind Watermill's Deduplicator. What was seen is kept
// where all workers see it, as the package's documentation asks for beyond one process.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"log"
	"os"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/twiceproof/twiceproof/examples/sqs-charge/payments"
	"github.com/twiceproof/twiceproof/peers/consumer"
)

func main() {
	db, err := sql.Open("pgx", os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	seen := &middleware.Deduplicator{
		KeyFactory: middleware.NewMessageHasherSHA256(1 << 20),
		Repository: repository{db},
		Timeout:    5 * time.Second,
	}
	handler := seen.Middleware(charge)
	if err := consumer.Run(os.Getenv("QUEUE_URL"), func(ctx context.Context, o consumer.Order) error {
		payload, err := json.Marshal(o)
		if err != nil {
			return err
		}
		m := message.NewMessage(o.Order.ID, payload)
		m.SetContext(ctx)
		_, err = handler(m)
		return err
	}); err != nil {
		log.Fatal(err)
	}
}

func charge(m *message.Message) ([]*message.Message, error) {
	var o consumer.Order
	if err := json.Unmarshal(m.Payload, &o); err != nil {
		return nil, err
	}
	service := payments.Client{URL: os.Getenv("PAYMENTS_URL")}
	_, err := service.Create(m.Context(), payments.Charge{OrderID: o.Order.ID, AmountCents: o.AmountCents, Currency: o.Currency})
	return nil, err
}

// repository forgets after an hour.
type repository struct{ db *sql.DB }

func (r repository) IsDuplicate(ctx context.Context, key string) (bool, error) {
	result, err := r.db.ExecContext(ctx, `INSERT INTO seen AS s (key) VALUES ($1)
		ON CONFLICT (key) DO UPDATE SET at = now() WHERE s.at < now() - interval '1 hour'`, []byte(key))
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n == 0, err
}
