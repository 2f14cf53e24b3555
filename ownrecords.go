package twiceproof

import "context"

// The statements of an own row's transaction.

func (t records) claimOwnRow(c claimed) Statement {
	args := []any{t.job.Type, c.key, c.token, t.worker, blob(c.print.Sum), text(c.print.Fields), c.reference}
	if t.numbersTransactions() {
		args = append(args, t.job.Lease.Milliseconds())
	}
	return t.statement(t.sql.ClaimOwnRow, args...)
}

// numbersTransactions: PostgreSQL's seal compares the transaction's number; the
// others release a savepoint.
func (t records) numbersTransactions() bool { return !t.readFirst && t.mysql == nil }

func (t records) statement(text string, args ...any) Statement {
	text, args = t.bind(text, args)
	return Statement{text, args}
}

func (t records) markOwnRow() []Statement {
	if t.numbersTransactions() {
		return nil
	}
	return []Statement{t.statement(t.sql.MarkOwnRow)}
}

// lastOwnRow: the result, if there is one, and the seal.
func (t records) lastOwnRow(c claimed, result []byte, id string) []Statement {
	seal := t.statement(t.sql.SealOwnRow)
	if t.numbersTransactions() {
		seal.Args = []any{id}
	}
	if result == nil {
		return []Statement{seal}
	}
	return []Statement{t.statement(t.sql.ResultOwnRow, t.job.Type, c.key, c.token, result), seal}
}

func (t records) holdOwnRow(ctx context.Context, c claimed) (bool, error) {
	return t.changed(ctx, t.sql.HoldOwnRow, c.key, c.token, holdBody, blob(c.message))
}
