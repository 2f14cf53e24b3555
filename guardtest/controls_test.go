package guardtest

import (
	"context"
	"database/sql/driver"
	"regexp"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"modernc.org/sqlite"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/testdb"
)

// control is a statement that is wrong on purpose, and a scenario that must see it.
type control struct {
	verb, from, to string // a regular expression, and what it becomes
	scenario       string
}

const (
	token     = `AND claim_token = (\S+)`
	anyToken  = `AND (claim_token = $1 OR 1 = 1)`
	isClaimed = `state = 'claimed'`
	anyState  = `state <> ''`
	// The database's clock against the lease; what follows is the extra wait.
	stale    = `AND (CAST\(.*\)|statement_timestamp\(\)|TIMESTAMPDIFF\(.*\) DIV 1000) >= `
	anyLease = `AND 0 * lease_ms = 0 OR 1 = 0 AND $1 >= `
	doubt    = `AND acts = (\S+)`
	anyActs  = `AND (acts = $1 OR 1 = 1)`
)

var controls = []control{
	{"complete", token, anyToken, "the taker is still at work"},
	{"complete", `'held'`, `'claimed'`, "held, then the worker finishes after all"},
	{"complete", `'assumed'`, `'acted'`, "assumed, then the worker finishes after all"},
	{"complete", `, (\S+)\)\);`, `, concat('no', $1)));`, "complete, reply"},
	{"complete", `message( +)= NULL`, `message$1= message`, "the first delivery acts, the next ones do not"},
	{"take_over", token, anyToken, "a taker, and another has taken over and given up: the budget is over"},
	{"take_over", isClaimed, anyState, "a taker, and the worker completes"},
	{"take_over", stale, anyLease, "a taker, and the worker renews"},
	{"take_over", doubt, anyActs, "a taker, and an earlier taker acts once more: counted"},
	{"take_over", `AND NOT given_up`, `AND (NOT given_up OR 1 = 1)`, "an unknown outcome waits for the settle time, then is looked up"},
	{"hold", token, anyToken, "a hold, and another has taken over and given up: held for what is so now"},
	{"hold", stale, anyLease, "a hold, and the worker renews"},
	{"assume", token, anyToken, "an assumption, and another worker has vanished: the budget is over"},
	{"assume", isClaimed, anyState, "an assumption, and the worker completes"},
	{"assume", stale, anyLease, "an assumption, and the worker renews"},
	{"act_again", token, anyToken, "a taker is taken over before it counts its attempt: it does not act"},
	{"act_again", `acts IN \((\S+), (.*)\);`, `acts IN ($1, 0 * ($2));`, "act_again, reply: counted once"},
	{"release", token, anyToken, "stopped before the release, and taken over"},
	{"release", `(acts\)?) - 1`, `$1 - 0`, "released, then done at once, under lookup without a look-up"},
	{"give_up", token, anyToken, "stopped before giving up, and taken over"},
	{"give_up", `AND NOT given_up`, ``, "give_up after a look-up, reply: counted once"},
	{"late_finish", `claim_token <> `, `claim_token = `, "it acted before; the taker found its effect"},
	{"renew", token, anyToken, "stopped before the renewal, and taken over"},
	{"renew", isClaimed, anyState, "a held one is not"},
	{"seal_own_row", `(?s).*`, `DO_NOTHING`, "a body that rolls back and begins another transaction"},
	{"requeue", `requeues = (\S+)$`, `(requeues = $1 OR 1 = 1)`, "requeue, reply: nobody can tell who marked it, so it is not pushed"},
}

// TestControls: each wrong statement is seen by its scenario, which passes without it.
func TestControls(t *testing.T) {
	all, err := everything()
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]scenario{}
	for _, s := range all {
		byName[s.name] = s
	}
	for _, setup := range setups {
		d, err := newDatabase(t.Context(), setup(t))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.close)
		for _, c := range controls {
			t.Run(string(d.Dialect)+"/"+c.verb+" "+c.to, func(t *testing.T) { d.see(t, c, byName[c.scenario]) })
		}
	}
}

func (d *database) see(t *testing.T, c control, s scenario) {
	if s.name == "" || !s.runsOn(string(d.Dialect)) {
		t.Fatalf("no scenario %q", c.scenario)
	}
	if err := d.run(t.Context(), s); err != nil {
		t.Fatalf("without the mistake: %v", err)
	}
	wrong := &database{Setup: d.Setup, statements: d.statements, plain: d.plain}
	defer wrong.spares.close()
	executed := new(bool)
	wrong.Connector = rewriting{d.Connector, d.rewrite(t, c), executed}
	err := wrong.run(t.Context(), s)
	if err == nil {
		t.Fatalf("%q does not see it", s.name)
	}
	if !*executed {
		t.Errorf("the database does not take the statement: %v", err)
	}
	t.Log(err)
}

// rewrite gives the statement as it is sent, and as it is sent instead.
func (d *database) rewrite(t *testing.T, c control) map[string]string {
	for text, verb := range verbsOf(d.statements) {
		if verb != c.verb {
			continue
		}
		r := regexp.MustCompile(`(?m)` + c.from)
		wrong := r.ReplaceAllString(text, c.to)
		if c.to == "DO_NOTHING" {
			wrong = map[twiceproof.Dialect]string{twiceproof.Postgres: "SELECT $1::text"}[d.Dialect]
			if wrong == "" {
				wrong = "SELECT 1"
			}
		}
		if wrong == text {
			t.Fatalf("%s has no %s", verb, c.from)
		}
		if d.Dialect == twiceproof.MySQL {
			text, wrong = dialect.NewPositional(text).SQL, dialect.NewPositional(wrong).SQL
		}
		return map[string]string{text: wrong}
	}
	t.Fatalf("no verb %s", c.verb)
	return nil
}

// rewriting is a driver that sends other statements than it was given.
type rewriting struct {
	driver.Connector
	other    map[string]string
	executed *bool
}

func (r rewriting) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := r.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	f := &faults{verbs: map[string]verb{}}
	for _, wrong := range r.other {
		f.verbs[wrong] = verb{name: "wrong"}
	}
	f.observe = func(string, []any, bool) { *r.executed = true }
	return &otherConn{&conn{Conn: inner, faults: f}, r.other}, nil
}

type otherConn struct {
	*conn
	other map[string]string
}

func (c *otherConn) text(q string) string {
	if other, ok := c.other[q]; ok {
		return other
	}
	return q
}

func (c *otherConn) Close() error { return c.Conn.Close() }

func (c *otherConn) ExecContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Result, error) {
	return c.conn.ExecContext(ctx, c.text(q), args)
}

func (c *otherConn) QueryContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Rows, error) {
	return c.conn.QueryContext(ctx, c.text(q), args)
}

func (c *otherConn) PrepareContext(ctx context.Context, q string) (driver.Stmt, error) {
	return c.conn.PrepareContext(ctx, c.text(q))
}

var setups = []func(t *testing.T) Setup{
	func(t *testing.T) Setup {
		dsn := testdb.SQLite(t) + "&_pragma=synchronous(0)"
		return Setup{Dialect: twiceproof.SQLite, Connector: at{sqliteDriver, dsn}}
	},
	func(t *testing.T) Setup {
		config, err := pgx.ParseConfig(testdb.Postgres(t))
		if err != nil {
			t.Fatal(err)
		}
		return Setup{Dialect: twiceproof.Postgres, Connector: stdlib.GetConnector(*config)}
	},
	func(t *testing.T) Setup {
		config, err := mysql.ParseDSN(testdb.MySQL(t))
		if err != nil {
			t.Fatal(err)
		}
		c, err := mysql.NewConnector(config)
		if err != nil {
			t.Fatal(err)
		}
		return Setup{Dialect: twiceproof.MySQL, Connector: c}
	},
}

var sqliteDriver = &sqlite.Driver{}

// at is a driver with an address.
type at struct {
	driver driver.Driver
	dsn    string
}

func (a at) Connect(context.Context) (driver.Conn, error) { return a.driver.Open(a.dsn) }
func (a at) Driver() driver.Driver                        { return a.driver }
