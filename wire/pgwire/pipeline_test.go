package pgwire_test

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/twiceproof/twiceproof/wire"
)

// A batch is one step and, without BEGIN, one transaction: an error in it undoes
// what came before, although CommandComplete was said.
func TestBatch(t *testing.T) {
	s := start(t)
	conn := connect(t, s.proxied)
	batch := func(ids ...int) error {
		b := &pgx.Batch{}
		for _, id := range ids {
			b.Queue("insert into t values ($1, 'a')", id)
		}
		b.Queue("select count(*) from t")
		return conn.SendBatch(t.Context(), b).Close()
	}
	if err := batch(1, 2, 3); err != nil {
		t.Fatal(err)
	}
	if err := batch(4, 1, 5); sqlState(err) != "23505" {
		t.Errorf("error %v", err)
	}
	const all = "insert into t values ($1, ?) (3 times); select count(*) from t"
	s.Want(t, "Parse insert into t values ($1, ?); select count(*) from t [I]",
		all+" [INSERT 0 1 (3 times); SELECT 1 I]", all+" [INSERT 0 1; ERROR 23505 I]")
	if n := s.count(t); n != 3 {
		t.Errorf("%d rows", n)
	}
}

// Several Sync sent ahead of the replies are several steps, one after another.
func TestPipeline(t *testing.T) {
	s := start(t)
	conn := connect(t, s.proxied).PgConn()
	p := conn.StartPipeline(t.Context())
	for _, sql := range []string{"insert into t values (1, 'a')", "insert into t values (1, 'b')", "insert into t values (2, 'c')"} {
		p.SendQueryParams(sql, nil, nil, nil, nil)
		if err := p.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	var results []string
	for range 6 {
		r, err := p.GetResults()
		switch r := r.(type) {
		case *pgconn.ResultReader:
			_, err = r.Close()
			results = append(results, sqlState(err))
		case *pgconn.PipelineSync:
			results = append(results, "sync")
		default:
			results = append(results, sqlState(err))
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if want := []string{"", "sync", "23505", "sync", "", "sync"}; !slices.Equal(results, want) {
		t.Errorf("results %q", results)
	}
	const insert = "insert into t values (?, ?)"
	s.Want(t, insert+" [INSERT 0 1 I]", insert+" [ERROR 23505 I]", insert+" [INSERT 0 1 I]")
}

// What is sent ahead waits: killed after the first of three steps, the second has
// not reached the server.
func TestKilledWithinWhatWasSentAhead(t *testing.T) {
	s := start(t)
	f := raw(t, s.proxied)
	a := s.gate.Arm(wire.Fault{Match: text("INSERT INTO t VALUES (?)"), Nth: 1, Side: wire.After, Do: wire.Kill})
	f.send(&pgproto3.Query{String: "INSERT INTO t VALUES (1)"}, &pgproto3.Query{String: "INSERT INTO t VALUES (2)"})
	<-a.Fired()
	s.quiet(t)
	if n := s.count(t); n != 1 {
		t.Errorf("%d rows", n)
	}
}

// Flush: its answers come before the Sync, and the last step tells of all.
func TestFlush(t *testing.T) {
	s := start(t)
	f := raw(t, s.proxied)
	const one, bad = "INSERT INTO t VALUES (1)", "SELECT 1/0"
	f.send(&pgproto3.Parse{Query: one}, &pgproto3.Describe{ObjectType: 'S'}, &pgproto3.Flush{})
	f.expect("ParseComplete ParameterDescription NoData")
	f.send(&pgproto3.Bind{}, &pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{}, &pgproto3.Close{ObjectType: 'P'}, &pgproto3.Flush{})
	f.expect("BindComplete NoData CommandComplete CloseComplete")
	if n := s.count(t); n != 0 {
		t.Error("durable before its Sync")
	}
	f.send(&pgproto3.Flush{}, &pgproto3.Sync{})
	f.expect("ReadyForQuery")
	const text = "INSERT INTO t VALUES (?)"
	s.Want(t, "Flush Parse "+text+" []", "Flush "+text+" [INSERT 0 1]", text+" [INSERT 0 1 I]")

	// After an error everything up to the Sync is skipped, Flush too.
	f.send(&pgproto3.Parse{Query: bad}, &pgproto3.Bind{}, &pgproto3.Execute{}, &pgproto3.Flush{},
		&pgproto3.Parse{Query: one}, &pgproto3.Bind{}, &pgproto3.Execute{}, &pgproto3.Flush{})
	f.expect("ParseComplete ErrorResponse") // the planner divides
	f.send(&pgproto3.Flush{}, &pgproto3.Sync{})
	f.expect("ReadyForQuery")
	s.Want(t, "Flush SELECT ?/? [ERROR 22012]", "SELECT ?/?; "+text+" [ERROR 22012 I]")
}

// A COMMIT is durable at its Flush, and the Sync need not come.
func TestFlushOfCommit(t *testing.T) {
	s := start(t)
	f := raw(t, s.proxied)
	f.send(&pgproto3.Query{String: "BEGIN; INSERT INTO t VALUES (1)"})
	f.expect("CommandComplete CommandComplete ReadyForQuery")
	f.send(&pgproto3.Parse{Query: "COMMIT"}, &pgproto3.Bind{}, &pgproto3.Execute{}, &pgproto3.Flush{})
	f.expect("ParseComplete BindComplete CommandComplete")
	if n := s.count(t); n != 1 {
		t.Errorf("%d rows", n)
	}
	s.Want(t, "BEGIN; INSERT INTO t VALUES (?) [BEGIN; INSERT 0 1 T]", "Flush COMMIT [COMMIT]")
}

// A step is named after what the server has prepared, not after what it has
// refused to.
func TestPreparedNames(t *testing.T) {
	s := start(t)
	f := raw(t, s.proxied)
	run := func(want string, all ...pgproto3.FrontendMessage) {
		f.send(append(all, &pgproto3.Sync{})...)
		f.expect(want + " ReadyForQuery")
	}
	run("ParseComplete", &pgproto3.Parse{Name: "a", Query: "SELECT 1"})
	run("ErrorResponse", &pgproto3.Parse{Name: "a", Query: "SELECT 2, 2"}) // exists
	run("ErrorResponse", &pgproto3.Parse{Name: "b", Query: "SELEC 3"})
	run("BindComplete DataRow CommandComplete", &pgproto3.Bind{PreparedStatement: "a"}, &pgproto3.Execute{})
	run("BindComplete DataRow PortalSuspended", &pgproto3.Bind{DestinationPortal: "p", PreparedStatement: "a"}, &pgproto3.Execute{Portal: "p", MaxRows: 1})
	run("ErrorResponse", &pgproto3.Bind{PreparedStatement: "b"})
	run("ParameterDescription RowDescription", &pgproto3.Describe{ObjectType: 'S', Name: "a"})
	run("CloseComplete", &pgproto3.Close{ObjectType: 'S', Name: "a"})
	f.send(&pgproto3.Sync{}, &pgproto3.Query{})
	f.expect("ReadyForQuery EmptyQueryResponse ReadyForQuery")
	s.Want(t, "Parse SELECT ? [I]", "Parse SELECT ?, ? [ERROR 42P05 I]", "Parse SELEC ? [ERROR 42601 I]",
		"SELECT ? [SELECT 1 I]", "SELECT ? [PortalSuspended I]", "Bind EXECUTE b [ERROR 26000 I]",
		"Describe SELECT ? [I]", "Close SELECT ? [I]", "Sync [I]", "Query [I]")
}

// FunctionCall is old, and a step.
func TestFunctionCall(t *testing.T) {
	s := start(t)
	f := raw(t, s.proxied)
	const int4pl = 177
	f.send(&pgproto3.FunctionCall{Function: int4pl, ArgFormatCodes: []uint16{0}, Arguments: [][]byte{[]byte("1"), []byte("2")}})
	f.expect("FunctionCallResponse ReadyForQuery")
	s.Want(t, "FunctionCall [FunctionCallResponse I]")
}
