package pgwire

import (
	"testing"

	"github.com/twiceproof/twiceproof/wire"
)

func TestNormalise(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"begin", "BEGIN"},
		{"begin isolation level serializable", "BEGIN isolation level serializable"},
		{"Commit;", "COMMIT"},
		{"rollback to savepoint \"s139872384012_x1\"", `ROLLBACK to savepoint "s?_x1"`},
		{"commitments", "commitments"},
		{"", ""},
		{" ; -- ping\n;", ""},
		{"select 1", "select ?"},
		{"select  a1 ,\n\t$1 , $12 from t_20240101", "select a1 , $1 , $12 from t_20240101"},
		{"insert into t(a, b) values('x''y', -1.5e-3)", "insert into t(a, b) values(?, -?)"},
		{"values(.5,0xFF,1_000,1e+9,1.)", "values(?,?,?,?,?)"},
		{"select 1+2-3", "select ?+?-?"},
		{`select E'a\'b', e'\\', 'a\', b`, "select ?, ?, ?, b"},
		{"select b'01', X'ff', n'a', u&'a' uescape '!', U&\"a\"", `select ?, ?, ?, ? uescape ?, U&"a"`},
		{"select x in'a', he'a'", "select x in?, he?"},
		{`select "a""b;c", "1"`, `select "a""b;c", "1"`},
		{"select $$a;b$$, $q$ $$ $q$, $é$x$é$, a$b", "select ?, ?, ?, a$b"},
		{"do $$ begin; end $$", "do ?"},
		{"a /* x /* ' */ ; */ b -- '\nc", "a b c"},
		{"a;b ; c", "a; b; c"},
		{"a;a;b", "a (2 times); b"},
		{"select 'unended", "select ?"},
		{"select $$unended", "select ?"},
		{"/* unended", ""},
		{"'2026-01-01'::timestamptz, ARRAY[1,2], x->>'k', y?'k'", "?::timestamptz, ARRAY[?,?], x->>?, y??"},
		{"a[1:2] $", "a[?:?] $"},
	} {
		if got := wire.Join(normalise(c.sql)); got != c.want {
			t.Errorf("%q: %q, want %q", c.sql, got, c.want)
		}
	}
}

func FuzzNormalise(f *testing.F) {
	f.Add("select E'a\\'', $q$x$q$ /* */ -- \n 1e")
	f.Fuzz(func(_ *testing.T, sql string) { wire.Clip(wire.Join(normalise(sql))) })
}
