package main

import (
	"fmt"
	"io"
)

// row is a line of the aims: one benchmark, and from which ratio on it is met.
type row struct {
	title, bench string
	aims         []aim
}

// aim holds for the measures that have all these keys; the first that fits counts.
type aim struct {
	keys  map[string]string
	least float64
	most  float64 // for what must not grow; 0: no such aim
}

var rows = []row{
	{"Own row ÷ the same job unguarded (BEGIN, INSERT, COMMIT), by database/sql", "OwnRow", []aim{
		{keys: map[string]string{"rtt": "1ms"}, least: 0.95},
		{keys: map[string]string{"db": "postgres", "workers": "8"}, least: 0.68},
		{keys: map[string]string{"db": "mariadb", "workers": "8"}, least: 0.64},
		{keys: map[string]string{"db": "sqlite", "workers": "8"}, least: 0.72},
		{},
	}},
	{"Own row ÷ the same job unguarded, by guardpgx", "OwnRowPgx", []aim{
		{keys: map[string]string{"rtt": "1ms"}, least: 0.95}, {keys: map[string]string{"workers": "8"}, least: 0.68}, {},
	}},
	{"Own row ÷ a guard that reads and then inserts", "OwnRowNaive", []aim{{least: 1}}},
	{"Outside effect (claim, completion) ÷ two bare commits of one row", "Outside", []aim{{least: 0.9}}},
	{"A repeat of a completed operation ÷ an upsert that writes", "Repeat", []aim{{least: 3}}},
	{"Ten by RunBatch ÷ ten by Run", "Batch", []aim{
		{keys: map[string]string{"workers": "1"}, least: 5}, {keys: map[string]string{"workers": "8"}, least: 3},
	}},
	{"Median time among many records ÷ among ten thousand", "Size", []aim{{most: 1.3}}},
	{"Heap after many operations ÷ after a tenth of them", "Memory", []aim{{most: 1.1}}},
	{"Claim and completion ÷ a DBOS workflow of one step", "RunBesideDBOS", []aim{{}}},
	{"Claim and completion ÷ a unique insert of a River job", "RunBesideRiver", []aim{{}}},
}

func (r row) write(w io.Writer, measured []*measure) {
	fmt.Fprintf(w, "\n## %s\n\n| where | guarded a second | the other a second | ratio | aim |\n| --- | ---: | ---: | ---: | --- |\n", r.title)
	for _, m := range measured {
		if m.bench != r.bench {
			continue
		}
		fmt.Fprintf(w, "| %s | %s | %s | %.2f | %s |\n", m.detail, speed(m.guarded), speed(m.other), m.ratio(), r.aimOf(m).said(m.ratio()))
	}
}

func speed(all []float64) string {
	if s := median(all); s > 0 {
		return fmt.Sprintf("%.0f", s)
	}
	return "–"
}

func (r row) aimOf(m *measure) aim {
	for _, a := range r.aims {
		fits := true
		for key, value := range a.keys {
			fits = fits && m.keys[key] == value
		}
		if fits {
			return a
		}
	}
	return aim{}
}

func (a aim) said(ratio float64) string {
	switch {
	case a.most > 0 && ratio <= a.most:
		return fmt.Sprintf("≤ %.2f", a.most)
	case a.most > 0:
		return fmt.Sprintf("≤ %.2f: missed", a.most)
	case a.least > 0 && ratio >= a.least:
		return fmt.Sprintf("≥ %.2f", a.least)
	case a.least > 0:
		return fmt.Sprintf("≥ %.2f: missed", a.least)
	}
	return "–"
}

const head = `# What the guard costs

Written by ` + "`make bench`" + ` on %s; %s. Do not edit.

A ratio is how many guarded jobs were made in the time of one without the guard, in turns on the same throw-away server in the same run; the
median where a benchmark ran several times. The servers wait for their disk at each commit. Reference, fingerprint and time limits are
switched on and, where the effect is outside, the stored message; the claim of an own row writes none. A figure of another machine says little; the ratio
says more. "Missed" is what does not reach its aim. Ten million records and a million operations are of TWICEPROOF_FULL=1, which takes half an hour: these
rows may be of another run than the rest.
`

const tail = `
## What the figures come from

- The aims come from a prototype on a machine whose commits were slower beside its round trips. Where a commit is as cheap as here, what counts
  is the number of round trips and the server's own work on a wider row with CHECKs.
- An outside effect costs two commits and two round trips, which is what the two bare commits are; the rest is the record's CHECKs and columns.
- A repeat is one statement that inserts nothing and commits nothing; an upsert that writes adds a commit to that.
- An own row adds no commit. By database/sql it adds round trips to BEGIN, row and COMMIT, which the driver sends by themselves whatever the guard
  does: on PostgreSQL the claim and the seal, five instead of three, so that 0.60 is the most there can be on a slow line; on MariaDB one more,
  which sets the session's limits and autocommit back, six, so 0.50; on MySQL 8, which does not take several statements as one, eight.
  guardpgx sends its own together with BEGIN and COMMIT.
- On MariaDB limits, claim and savepoint are one statement (BEGIN NOT ATOMIC … END). COMMIT could be one with the seal and with what sets the
  session back, for five; then a reply that is lost at the seal would leave open whether it was committed. Autocommit cannot be spared: with
  later transactions set to read only instead, the first statement after error 1213 is committed all the same.
- SQLite has one writer: at 8 workers the ratio says mostly who waits for whom.
`
