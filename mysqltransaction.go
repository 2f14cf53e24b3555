package twiceproof

import "context"

// What MySQL needs around an own row's transaction. The limits let the server end that of
// a stopped worker with its lease; with autocommit off, what a body writes after its
// transaction is gone is not committed. Both are the session's, so they are set back
// before the pool has the connection again.

// claimMySQL sends the limits, the claim and the marks. An INSERT of MySQL answers no
// row; its insert id tells.
func (t *sqlTransaction) claimMySQL(ctx context.Context, claim Statement, marks []Statement) (claimed bool, err error) {
	now, err := t.mysql.sessionOf(ctx, t.tx)
	if err != nil {
		return false, err
	}
	t.undo = &now
	limit := t.mysql.limit(now.within(t.lease), false)
	if now.several {
		all := append([]Statement{limit, claim}, marks...)
		one := asOne(append(all, Statement{SQL: t.mysql.session.Claimed})...)
		err = t.tx.QueryRowContext(ctx, one.SQL, one.Args...).Scan(&claimed)
		return claimed, err
	}
	if err = t.exec(ctx, limit); err != nil {
		return false, err
	}
	result, err := t.tx.ExecContext(ctx, claim.SQL, claim.Args...)
	if err != nil {
		return false, err
	}
	if claimed, err = didMatch(result, true); claimed {
		err = t.exec(ctx, marks...)
	}
	return claimed, err
}

// unlimit ends the transaction first, unless that was answered already: setting autocommit
// on commits what is open, and database/sql rolls a cancelled one back in a goroutine
// that may come later.
func (t *sqlTransaction) unlimit(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, tryPatience)
	defer cancel()
	var err error
	if !t.over {
		_, err = t.conn.ExecContext(ctx, "ROLLBACK")
	}
	if err == nil {
		back := t.mysql.limit(*t.undo, true)
		_, err = t.conn.ExecContext(ctx, back.SQL, back.Args...)
	}
	if err != nil {
		t.discard()
	}
	t.undo = nil
}
