//go:build linux

package fork

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What is installed and must not be loaded before the fork, and one file of the user's.
var unfitPython = map[string]string{
	"opens.py":   "import socket\nserver = socket.create_server(('127.0.0.1', 0))\nheld = socket.create_connection(server.getsockname())\n",
	"threads.py": "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n",
	"reads.py":   "import os\nurl = os.environ.get('DATABASE_URL')\n",
	"bytes_.py":  "import os\nurl = os.environb[b'DATABASE_URL'].decode()\n",
	"getenvb.py": "import os\nurl = os.getenvb(b'DATABASE_URL').decode()\n",
	"listed.py":  "import os\nurl = [os.environ[name] for name in os.environ if name == 'DATABASE_URL'][0]\n",
	"data.py":    "import os\nurl = os.environ._data[b'DATABASE_URL'].decode()\n",
	"posix_.py":  "import posix\nurl = posix.environ.get(b'DATABASE_URL').decode()\n",
	"proc.py":    "url = [v for v in open('/proc/self/environ').read().split('\\0') if v.startswith('DATABASE_URL=')][0].partition('=')[2]\n",
	"procb.py":   "url = [v for v in open(b'/proc/self/environ').read().split('\\0') if v.startswith('DATABASE_URL=')][0].partition('=')[2]\n",
	"byc.py":     "import ctypes\ngetenv = ctypes.CDLL(None).getenv\ngetenv.restype = ctypes.c_char_p\nurl = getenv(b'DATABASE_URL').decode()\n",
	"symbol.py":  "import ctypes\nall = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), 'environ')\nurl = next(v for v in all if v.startswith(b'DATABASE_URL=')).partition(b'=')[2].decode()\n",
	"inc.py":     "import ctypes, os\nurl = ctypes.c_char_p.in_dll(ctypes.CDLL(os.path.dirname(__file__) + '/libinc.so'), 'url').value.decode()\n",
	"child.py":   "import subprocess\nurl = subprocess.run(['sh', '-c', 'printf %s $DATABASE_URL'], stdout=subprocess.PIPE).stdout.decode()\n",
	"ident.py":   "import os\nme = os.getpid()\n",
	"draws.py":   "import uuid\nme = uuid.uuid4().hex\n",
	"rolls.py":   "import random\nme = random.getrandbits(64)\n",
	"left.py":    "import subprocess\nsubprocess.Popen(['true'])\n",
	"raises.py":  "import builtins\nbuiltins.configured\n",
	"asks.py":    "import settings\n",
	"moves.py":   "import os\nos.chdir('/')\n",
	"gevent.py":  "",
	"sets.py":    "import os\nos.environ['SET'] = '1'\n",
	"changes.py": "import os\nos.environ['TMPDIR'] = '/'\n",
}

var unfitRuby = map[string]string{
	"opens.rb":   "require 'socket'\nSERVER = TCPServer.new('127.0.0.1', 0)\nHELD = TCPSocket.new('127.0.0.1', SERVER.addr[1])\n",
	"threads.rb": "Thread.new { sleep }\n",
	"reads.rb":   "URL = ENV.fetch('DATABASE_URL', nil)\n",
	"several.rb": "URL = ENV.values_at('HOME', 'DATABASE_URL').last\n",
	"selects.rb": "URL = ENV.select { |name, _| name == 'DATABASE_URL' }.values.first\n",
	"hash.rb":    "URL = ENV.to_h['DATABASE_URL']\n",
	"except.rb":  "URL = ENV.except('DATABASE_URL').size == ENV.size ? '' : ENV.find { |name, _| name == 'DATABASE_URL' }.last\n",
	"keys.rb":    "URL = ENV.keys.include?('DATABASE_URL') ? 'set' : ''\n",
	"ident.rb":   "ME = Process.pid\n",
	"draws.rb":   "require 'securerandom'\nME = SecureRandom.hex\n",
	"rolls.rb":   "ME = rand(1 << 62)\n",
	"mixes.rb":   "ME = [*1..99].shuffle\n",
	"global.rb":  "class Me\n  ID = $$\nend\n",
	"later.rb":   "def me = $$\n", // asked in the worker
	"takes.rb":   "URL = ENV.delete('DATABASE_URL')\n",
	"child.rb":   "URL = `printf %s $DATABASE_URL`\n",
	"byc.rb":     "require 'fiddle'\nURL = Fiddle::Function.new(Fiddle::Handle::DEFAULT['getenv'], [Fiddle::TYPE_VOIDP], Fiddle::TYPE_VOIDP).call('DATABASE_URL').then { |url| url.null? ? '' : url.to_s }\n",
	"raises.rb":  "$configured.fetch(0)\n",
	"asks.rb":    "require 'settings'\n",
	"moves.rb":   "Dir.chdir('/')\n",
	"sets.rb":    "ENV['SET'] = '1'\n",
}

// fits is one worker, whether it can be forked, and what is said of it.
type fits struct {
	name, command, script string
	forked                bool
	text                  string
	printed               string // by the third worker; empty: each prints something else
}

func TestWhatIsNotFitForAFork(t *testing.T) {
	here := t.TempDir()
	python, installed := pythonIn(t, filepath.Join(here, "venv"))
	writeIn(t, installed, unfitPython)
	writeIn(t, filepath.Join(here, "app"), map[string]string{"settings.py": "", "lib/settings.rb": ""})
	gems := filepath.Join(here, "gems", "gems", "unfit-1", "lib")
	writeIn(t, gems, unfitRuby)
	writeIn(t, filepath.Join(here, "gems"), map[string]string{
		"gems/fine-1/lib/fine.rb":       "FINE = Object.new",
		"specifications/fine-1.gemspec": "Gem::Specification.new('fine', '1') { |s| s.summary, s.authors = 'fine', ['-'] }",
	})
	inC(t, filepath.Join(installed, "libinc.so"), `#include <stdlib.h>
const char *url;
__attribute__((constructor)) static void loaded(void) { url = getenv("DATABASE_URL") ? getenv("DATABASE_URL") : ""; }`)
	inC(t, filepath.Join(gems, "inc.so"), `#include <stdlib.h>
unsigned long rb_str_new_cstr(const char *);
void rb_define_global_const(const char *, unsigned long);
void Init_inc(void) { rb_define_global_const("URL", rb_str_new_cstr(getenv("DATABASE_URL") ? getenv("DATABASE_URL") : "")); }`)
	for _, c := range slices.Concat(inPython(python), inRuby(gems)) {
		t.Run(c.name, func(t *testing.T) { c.check(t, filepath.Join(here, "app"), "GEM_PATH="+filepath.Join(here, "gems")) })
	}
}

func inPython(python string) []fits {
	command := python + " main.py {port}"
	return []fits{
		{"Python: opens", command, "import json, opens\nprint(opens.server.getsockname())", true, "opens: keeps something open", ""},
		{"Python: starts a thread", command, "import json, threads, threading\nprint(threading.active_count())", true, "threads: starts a thread", "2"},
		{"Python: reads", command, "import json, reads\nprint(reads.url)", true, "reads: reads DATABASE_URL", "sqlite:2"},
		{"Python: reads bytes", command, "import json, bytes_\nprint(bytes_.url)", true, "bytes_: reads DATABASE_URL", "sqlite:2"},
		{"Python: getenvb", command, "import json, getenvb\nprint(getenvb.url)", true, "getenvb: reads DATABASE_URL", "sqlite:2"},
		{"Python: looks through all", command, "import json, listed\nprint(listed.url)", true, "listed: reads all variables", "sqlite:2"},
		{"Python: what is behind environ", command, "import json, data\nprint(data.url)", true, "data: reads DATABASE_URL", "sqlite:2"},
		{"Python: posix", command, "import json, posix_\nprint(posix_.url)", true, "posix_: reads DATABASE_URL", "sqlite:2"},
		{"Python: by ctypes", command, "import json, byc\nprint(byc.url)", true, "byc: reads variables by ctypes (getenv)", "sqlite:2"},
		{"Python: the symbol", command, "import json, symbol\nprint(symbol.url)", true, "symbol: reads variables by ctypes (environ)", "sqlite:2"},
		{"Python: C code", command, "import json, inc\nprint(inc.url)", true, "inc: may read DATABASE_URL, which is named in libinc.so", "sqlite:2"},
		{"Python: the system's file", command, "import json, proc\nprint(proc.url)", false, "it reads /proc/self/environ", "sqlite:2"},
		{"Python: the system's file by bytes", command, "import json, procb\nprint(procb.url)", false, "it reads /proc/self/environ", "sqlite:2"},
		{"Python: a child", command, "import json, child\nprint(child.url)", true, "child: starts another process", "sqlite:2"},
		{"Python: a child that is left", command, "import json, left\nprint(1)", true, "left: starts another process", "1"},
		{"Python: ctypes itself", command, "import ctypes, json\nprint(ctypes.CDLL(None).getpid() > 0)", true, "that they ask for)", "True"},
		{"Python: raises", command, "import builtins, json\nbuiltins.configured = 1\nimport raises\nprint(1)", true, "raises: raises AttributeError", "1"},
		{"Python: who it is", command, "import json, ident, os\nprint(ident.me == os.getpid())", true, "ident: asks for the process id", "True"},
		{"Python: a number for itself", command, "import json, draws\nprint(draws.me)", true, "draws: draws a random number", ""},
		{"Python: a number of the common generator", command, "import json, rolls\nprint(rolls.me)", true, "rolls: draws a random number", ""},
		{"Python: a key for children", command, "import json, multiprocessing.heap, os\nprint(os.getpid is __import__('posix').getpid, type(os.getpid), type(os.urandom))", true, "that they ask for)", "True <class 'builtin_function_or_method'> <class 'builtin_function_or_method'>"},
		{"Python: moves", command, "import json, moves, os\nprint(os.getcwd())", true, "moves: changes the folder", "/"},
		{"Python: sets", command, "import json, sets, os\nprint(os.environ['SET'])", true, "that they ask for)", "1"},
		{"Python: changes", command, "import json, changes, os\nprint(os.environ['TMPDIR'])", false, "what it loads changes TMPDIR", "/"},
		{"Python: random", command, "import random\nprint(random.random())", true, "that they ask for)", ""},
		{"Python: uuid", command, "import uuid\nprint(uuid.uuid4())", true, "that they ask for)", ""},
		{"Python: OpenSSL's", command, "import ssl\nprint(ssl.RAND_bytes(8))", true, "that they ask for)", ""},
		{"Python: asks for the user's own", command, "import asks\nprint(1)", false, "settings is the worker's own to load", "1"},
		{"Python: its own alone", command, "import settings\nprint(1)", false, "nothing that is installed", "1"},
		{"Python: patches", command, "import gevent\nprint(1)", false, "gevent changes what is loaded after it", "1"},
		{"Python: isolated", python + " -I main.py", "import json\nprint(1)", false, "no Python or Ruby", "1"},
		{"Python: below a shell", command + "; true", "import json\nprint(1)", false, "leaves a shell", "1"},
		{"Python: an address among the words", command + " $DATABASE_URL", "import sys, json\nprint(sys.argv[2])", false, "tells each worker something else", "sqlite:2"},
		{"Python: a variable from another", "X=$DATABASE_URL exec " + command, "import os, json\nprint(os.environ['X'])", false, "makes X anew", "sqlite:2"},
		{"neither", "echo 1", "", false, "no Python or Ruby", "1"},
	}
}

func inRuby(gems string) []fits {
	command := "ruby -I " + gems + " -I lib main.rb {port}"
	return []fits{
		{"Ruby: a gem", command, "require 'json'; require 'fine'; p FINE.class, $LOAD_PATH.grep(/fine/).size", true, "that they ask for)", "Object\n1"},
		{"Ruby: opens", command, "require 'json'; require 'opens'; p SERVER.addr[1]", true, "opens: keeps something open", ""},
		{"Ruby: starts a thread", command, "require 'json'; require 'threads'; p Thread.list.size", true, "threads: starts a thread", "2"},
		{"Ruby: reads", command, "require 'json'; require 'reads'; puts URL", true, "reads: reads DATABASE_URL", "sqlite:2"},
		{"Ruby: reads several", command, "require 'json'; require 'several'; puts URL", true, "several: reads DATABASE_URL", "sqlite:2"},
		{"Ruby: selects", command, "require 'json'; require 'selects'; puts URL", true, "selects: reads all variables", "sqlite:2"},
		{"Ruby: a hash", command, "require 'json'; require 'hash'; puts URL", true, "hash: reads all variables", "sqlite:2"},
		{"Ruby: all but one", command, "require 'json'; require 'except'; puts URL", true, "except: reads DATABASE_URL", "sqlite:2"},
		{"Ruby: names", command, "require 'json'; require 'keys'; puts URL", true, "keys: reads all variables", "set"},
		{"Ruby: takes away", command, "require 'json'; require 'takes'; puts URL, ENV.key?('DATABASE_URL')", true, "takes: reads DATABASE_URL", "sqlite:2\nfalse"},
		{"Ruby: a child", command, "require 'json'; require 'child'; puts URL", true, "child: starts another process", "sqlite:2"},
		{"Ruby: by Fiddle", command, "require 'json'; require 'byc'; puts URL", true, "byc: can read any variable, by Fiddle", "sqlite:2"},
		{"Ruby: C code", command, "require 'json'; require 'inc'; puts URL", true, "inc: may read DATABASE_URL, which is named in inc.so", "sqlite:2"},
		{"Ruby: raises", command, "require 'json'; $configured = [1]; require 'raises'; p 1", true, "raises: raises NoMethodError", "1"},
		{"Ruby: who it is", command, "require 'json'; require 'ident'; p ME == Process.pid", true, "ident: asks for the process id", "true"},
		{"Ruby: a number for itself", command, "require 'json'; require 'draws'; p ME", true, "draws: draws a random number", ""},
		{"Ruby: a number of the common generator", command, "require 'json'; require 'rolls'; p ME", true, "rolls: draws a random number", ""},
		{"Ruby: an order", command, "require 'json'; require 'mixes'; p ME", true, "mixes: draws a random number", ""},
		{"Ruby: who it is, by a variable", command, "require 'json'; require 'global'; p Me::ID == $$", true, "global: asks for the process id", "true"},
		{"Ruby: who it is, asked later", command, "require 'json'; require 'later'; p me == Process.pid", true, "that they ask for)", "true"},
		{"Ruby: moves", command, "require 'json'; require 'moves'; puts Dir.pwd", true, "moves: changes the folder", "/"},
		{"Ruby: sets", command, "require 'json'; require 'sets'; puts ENV['SET']", true, "that they ask for)", "1"},
		{"Ruby: random", command, "require 'json'; p rand", true, "that they ask for)", ""},
		{"Ruby: secure random", command, "require 'securerandom'; p SecureRandom.hex", true, "that they ask for)", ""},
		{"Ruby: OpenSSL's", command, "require 'openssl'; p OpenSSL::Random.random_bytes(8)", true, "that they ask for)", ""},
		{"Ruby: asks for the user's own", command, "require 'asks'; p 1", false, "settings is the worker's own to load", "1"},
		{"Ruby: its own before the main program", "ruby -r ./lib/settings main.rb", "require 'json'; p 1", false, "settings.rb is the worker's own to load", "1"},
	}
}

// inC makes a shared object.
func inC(t *testing.T, path, source string) {
	t.Helper()
	cc := exec.Command("cc", "-shared", "-fPIC", "-x", "c", "-o", path, "-")
	cc.Stdin = strings.NewReader(source)
	if out, err := cc.CombinedOutput(); err != nil {
		t.Fatalf("no C compiler: %v\n%s\nhint: apt-get install gcc libc6-dev", err, out)
	}
}

func (c fits) check(t *testing.T, folder string, environ ...string) {
	writeIn(t, folder, map[string]string{"main.py": c.script, "main.rb": c.script})
	told := runForks(t, c.command, folder, environ...)
	if told.Forked[2] != c.forked || !strings.Contains(told.Text, c.text) || strings.HasPrefix(told.Text, forkedFrom) != c.forked {
		t.Errorf("%+v", told)
	}
	second, third := strings.TrimSpace(told.Workers[1]), strings.TrimSpace(told.Workers[2])
	if c.printed != "" && third != c.printed || c.printed == "" && (third == "" || second == third) {
		t.Errorf("printed %q and %q, and %q cold", second, third, told.Cold)
	}
}
