package mysqlwire

import (
	"testing"

	"github.com/twiceproof/twiceproof/wire"
)

func TestNormalise(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"begin", "BEGIN"},
		{"start transaction read only", "START transaction read only"},
		{"Commit;", "COMMIT"},
		{"rollback to savepoint `s139872384012_x1`", "ROLLBACK to savepoint `s?_x1`"},
		{"commitments", "commitments"},
		{"", ""},
		{" ; -- ping\n;", ""},
		{"select  a1 ,\n\t?, $a from t_20240101", "select a1 , ?, $a from t_20240101"},
		{`insert into t(a, b) values('x''y', -1.5e-3, "q""r", 'a\'b')`, "insert into t(a, b) values(?, -?, ?, ?)"},
		{"values(.5,0xFF,0b01,1e+9,1.)", "values(?,?,?,?,?)"},
		{"select 1+2-3, 1--1, a.1b, 2x", "select ?+?-?, ?--?, a.1b, 2x"},
		{"select b'01', X'ff', n'a', _utf8mb4'a'", "select ?, ?, ?, _utf8mb4?"},
		{"select `a``b;c`, @x, @@session.y := 'z'", "select `a``b;c`, @x, @@session.y := ?"},
		{"a /* x /* ' */ b -- '\nc # ;\nd", "a b c d"},
		{"/*!40101 set x = 1 */; /*M!100100 a */", "set x = ?; a"},
		{"a;b ; c", "a; b; c"},
		{"a;a;b", "a (2 times); b"},
		{"select 'unended", "select ?"},
		{`select "unended\`, "select ?"},
		{"/* unended", ""},
	} {
		if got := wire.Join(normalise(c.sql)); got != c.want {
			t.Errorf("%q: %q, want %q", c.sql, got, c.want)
		}
	}
}

func TestVerb(t *testing.T) {
	for statement, want := range map[string]string{
		"insert into t values (?)": "INSERT", "(select ?) union (select ?)": "SELECT", "BEGIN": "BEGIN", "": "OK",
		"with x as (select ?) delete from t": "DELETE", "with x as (select ?), y as (select ?) select ?": "SELECT", "?": "OK",
		"SET STATEMENT a = ?, b = ? FOR insert into t select a for update": "INSERT", "set statement_x = ?": "SET", "SET STATEMENT a": "SET",
	} {
		if got := verb(statement); got != want {
			t.Errorf("%q: %s, want %s", statement, got, want)
		}
	}
}

func FuzzNormalise(f *testing.F) {
	f.Add("select 'a\\'', `x` /*! */ -- \n 1e")
	f.Fuzz(func(_ *testing.T, sql string) {
		statements := normalise(sql)
		wire.Clip(wire.Join(statements))
		for _, s := range statements {
			verb(s)
		}
	})
}
