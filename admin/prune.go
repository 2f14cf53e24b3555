package admin

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/twiceproof/twiceproof/dialect"
)

// PruneOptions say what is old enough to be deleted.
type PruneOptions struct {
	Walk
	// OlderThan is how long ago a record was completed, by the database's clock.
	OlderThan time.Duration
	// EvidenceToo takes also the records that are evidence: assumed, resolved, or with a
	// late finish.
	EvidenceToo bool
	// Apply does it; without it the records are counted.
	Apply bool
}

// Pruned is what was, or would be, deleted of one job type.
type Pruned struct {
	JobType string
	// Deleted is a lower bound when a reply was lost.
	Deleted int64
	// Evidence are those old enough that were kept as evidence.
	Evidence int64
	// Left are those that somebody else held on to: the next run takes them.
	Left int64
}

// lockedPages are so many in a row that a run ends.
const lockedPages = 3

// Prune deletes completed records, never a claimed or a held one. Each page of the
// table is a short transaction of its own, so it may be killed at any point and run
// again, and run twice at once. An error means that the rest was not looked at; what
// was deleted until then is told.
func (r *Records) Prune(ctx context.Context, o PruneOptions) ([]Pruned, error) {
	if o.OlderThan <= 0 {
		return nil, errors.New("prune: it is not said how old a record must be")
	}
	p := pruning{Records: r, PruneOptions: o}
	err := p.connect(ctx)
	if err == nil {
		defer p.disconnect()
		err = r.jobTypes(ctx, o.JobType, func(jobType string) error { return p.job(ctx, jobType) })
	}
	if err != nil {
		err = fmt.Errorf("prune: %w", err)
	}
	return p.all, err
}

// pruning is one run.
type pruning struct {
	*Records
	PruneOptions
	conn   *sql.Conn // with a short patience for locks; nil in SQLite
	all    []Pruned
	locked int // pages, one after another
}

func (p *pruning) connect(ctx context.Context) (err error) {
	if p.Apply && p.sql.WaitShortly != "" {
		p.conn, err = p.db.Conn(ctx)
	}
	return err
}

// disconnect ends the connection, so that the pool does not get it back as it is set.
func (p *pruning) disconnect() {
	if p.conn != nil {
		_ = p.conn.Raw(func(any) error { return driver.ErrBadConn })
		_ = p.conn.Close()
	}
}

func (p *pruning) job(ctx context.Context, jobType string) error {
	p.all = append(p.all, Pruned{JobType: jobType})
	of := &p.all[len(p.all)-1]
	for after := ""; ; {
		page, err := p.page(ctx, jobType, after)
		if err != nil || page.records == 0 {
			return err
		}
		of.Evidence += page.old - page.due
		switch {
		case page.due == 0:
		case !p.Apply:
			of.Deleted += page.due
		default:
			if err := p.take(ctx, of, page); err != nil {
				return err
			}
		}
		after = page.last
		p.add(page.records)
	}
}

// prunable is one page of the table.
type prunable struct {
	records, old, due int64
	last              string
	from, to          sql.NullString // the range of the due ones
}

func (p *pruning) page(ctx context.Context, jobType, after string) (prunable, error) {
	var page prunable
	var last sql.NullString
	args := []any{jobType, after, pageSize, p.OlderThan.Milliseconds(), p.evidence()}
	_, err := p.row(ctx, p.sql.Prunable, args, &page.records, &last, &page.old, &page.due, &page.from, &page.to)
	page.last = last.String
	return page, err
}

func (p *pruning) evidence() int {
	if p.EvidenceToo {
		return 1
	}
	return 0
}

// take deletes a page's due records. A page that somebody else holds on to is left.
func (p *pruning) take(ctx context.Context, of *Pruned, page prunable) error {
	var n int64
	err := again(ctx, func() (err error) {
		// What is begun is ended, so that it can be counted.
		n, err = p.delete(context.WithoutCancel(ctx), of.JobType, page.from.String, page.to.String)
		return err
	})
	of.Deleted += n
	if err == nil {
		p.locked = 0
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !dialect.Busy(err) {
		return fmt.Errorf("delete: %w", err)
	}
	of.Left += page.due
	if p.locked++; p.locked >= lockedPages {
		return fmt.Errorf("nothing could be deleted, %d pages in a row: %w", p.locked, err)
	}
	return nil
}

// delete is one short transaction. It is READ COMMITTED, so that MySQL locks no gap
// between two keys, where a worker may be inserting its claim.
func (p *pruning) delete(ctx context.Context, jobType, from, to string) (n int64, err error) {
	tx, err := p.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	statement, args := p.bind(p.sql.Prune, []any{jobType, from, to, p.OlderThan.Milliseconds(), p.evidence()})
	result, err := tx.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	if n, err = result.RowsAffected(); err != nil {
		return 0, err
	}
	if err := tx.Commit(); err != nil {
		return 0, err
	}
	return n, nil
}

func (p *pruning) begin(ctx context.Context) (*sql.Tx, error) {
	if p.conn == nil {
		return p.db.BeginTx(ctx, nil)
	}
	tx, err := p.conn.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err == nil {
		if _, err = tx.ExecContext(ctx, p.sql.WaitShortly); err != nil {
			_ = tx.Rollback() // the connection is given up anyway
		}
	}
	return tx, err
}
