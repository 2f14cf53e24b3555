package respwire

import (
	"strings"
	"testing"
)

// Two runs of the same job agree on a name, and no value is in it.
func TestName(t *testing.T) {
	for command, want := range map[string]string{
		`set order:17 paid`:                                                             "SET order:?",
		`lpush queue:default '{"jid":"f00"}'`:                                           "LPUSH queue:default",
		`brpop queue:low queue:default 2.0`:                                             "BRPOP queue:default queue:low",
		"brpop celery \"celery\\x06\\x163\" \"celery\\x06\\x166\" 1":                    `BRPOP celery celery\x06\x163 celery\x06\x166`,
		`hset host-1.example:4711:1f2e3d4c5b6a:work 4711 x`:                             "HSET ?:work",
		`hset ns:host:4711:1f2e3d4c5b6a pid 4711`:                                       "HSET ns:?",
		`incr stat:processed:2026-03-04`:                                                "INCR stat:processed:?",
		`llen 6ba7b810-9dad-11d1-80b4-00c04fd430c8.reply.celery.pidbox`:                 "LLEN ?.reply.celery.pidbox",
		`get jid:5d41402abc4b2a76b9719d91`:                                              "GET jid:?",
		`get cache:v1:1795981924.88`:                                                    "GET cache:v1:?",
		`publish /0.celeryev/task.multi secret`:                                         "PUBLISH /?.celeryev/task.multi",
		`evalsha 9e0e5f7a1b2c3d4e5f60718293a4b5c6d7e8f901 1 retry -inf 1795981924.88 0`: "EVALSHA 9e0e5f7a retry",
		`eval "return 1" 0`:                                                             "EVAL e0e1f9fa",
		`evalsha secret 0`:                                                              "EVALSHA ?",
		`zunionstore out 2 a b weights 1 2`:                                             "ZUNIONSTORE out a b",
		`blmpop 0 2 b a left`:                                                           "BLMPOP a b",
		`xreadgroup group g c streams s1 s2 > >`:                                        "XREADGROUP s1 s2",
		`mset a secret b secret`:                                                        "MSET a b",
		`client setname secret`:                                                         "CLIENT SETNAME",
		`object encoding a`:                                                             "OBJECT ENCODING a",
		`select 3`:                                                                      "SELECT",
		`module.cmd secret`:                                                             "MODULE.CMD",
		`"what is\nthis" secret`:                                                        "unknown command",
		`brpop`:                                                                         "BRPOP",
		`eval x 99999999999999999999`:                                                   "EVAL 11f6ad8e",
		`del a a b`:                                                                     "DEL a a b",
	} {
		r := newReader(strings.NewReader(command + "\r\n"))
		c, err := r.command()
		if got := DefaultName(Said{Commands: []Command{c}}); err != nil || got != want {
			t.Errorf("%s\nis %s, %v\nwant %s", command, got, err, want)
		}
	}
}

// Inline commands are split as Redis splits them.
func TestInline(t *testing.T) {
	for line, want := range map[string]string{
		`a  b	c`:          "a|b|c",
		`a "b c" 'd\'e'`:  `a|b c|d'e`,
		`"a\x41\n\"\q" b`: "aA\n\"q|b",
		`'a\n'`:           `a\n`,
		`pre"fix"`:        "prefix",
		`"" ''`:           "|",
		` `:               "",
		`"a"b`:            "wrong",
		`"a`:              "wrong",
		`'a\'`:            "wrong",
	} {
		args, ok := unquoted([]byte(line))
		var all []string
		for _, a := range args {
			all = append(all, string(a))
		}
		if got := strings.Join(all, "|"); ok != (want != "wrong") || ok && got != want {
			t.Errorf("%s is %q, %v, want %q", line, got, ok, want)
		}
	}
}
