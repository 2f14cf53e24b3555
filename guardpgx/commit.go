package guardpgx

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/twiceproof/twiceproof"
)

// Commit sends the last statements and COMMIT in one round trip. A connection about
// which nobody can tell is closed.
func (t *transaction) Commit(ctx context.Context, last ...twiceproof.Statement) error {
	if t.body.askedToRollBack() {
		return notCommitted(fmt.Errorf("the body asked to roll back and returned nil: %w", ErrGuardsTransaction))
	}
	batch := queue(last)
	batch.Queue("COMMIT")
	answers := t.conn.SendBatch(ctx, batch)
	for range last {
		if _, err := answers.Exec(); err != nil {
			_ = answers.Close() // no more than reading on to the Sync
			return t.failed(ctx, err, refused(err))
		}
	}
	tag, err := answers.Exec()
	if closed := answers.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return t.failed(ctx, err, refused(err) && !t.conn.Conn().IsClosed())
	}
	return t.proved(ctx, tag.String(), t.status())
}

// proved is the one place that says "committed".
func (t *transaction) proved(ctx context.Context, tag string, status byte) error {
	switch {
	case tag == "COMMIT" && status == idle:
		t.release()
		return nil
	case tag == "ROLLBACK":
		return notCommitted(pgx.ErrTxCommitRollback)
	}
	return t.failed(ctx, fmt.Errorf("COMMIT was answered by %q in state %q", tag, status), false)
}

func (t *transaction) failed(ctx context.Context, err error, certain bool) error {
	if certain || pgconn.SafeToRetry(err) { // the latter: nothing was sent
		return notCommitted(err)
	}
	t.discard(context.WithoutCancel(ctx))
	return err
}

func notCommitted(err error) error { return fmt.Errorf("%w: %w", twiceproof.ErrNotCommitted, err) }

// refused tells whether the database itself answered that it did not run the
// statement. A pooler that has lost the database says FATAL, or an error of class
// 08, and cannot know what was run.
func refused(err error) bool {
	var answer *pgconn.PgError
	return errors.As(err, &answer) && answer.SeverityUnlocalized == "ERROR" && !strings.HasPrefix(answer.Code, "08")
}
