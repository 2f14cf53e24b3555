"""Throw-away servers on loopback. They end with this process, also when it is killed."""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from typing import Any

# It starts the server and waits until nobody holds the other end of its standard input any more, which
# the kernel closes when the tests end, however they end.
WATCHDOG = """
trap '' HUP INT TERM
dir=$1; shift
"$@" </dev/null >"$dir/log" 2>&1 &
read -r _
kill -QUIT $!
tries=400; while [ $tries -gt 0 ] && kill -0 $! 2>/dev/null; do sleep 0.02; tries=$((tries - 1)); done
kill -KILL $! 2>/dev/null
cd /; rm -rf "$dir"
"""


class Server:
    def __init__(self, account: str) -> None:
        self.dir = tempfile.mkdtemp(prefix="twiceproof-")
        self.account: dict[str, Any] = {}
        if os.getuid() == 0:  # the servers refuse to run as root
            found = pwd.getpwnam(account)
            self.account = {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}
            os.chown(self.dir, found.pw_uid, found.pw_gid)
        self.port = free_port()
        self.env: dict[str, str] | None = None
        self.beside: Server | None = None  # ends with it

    def run(self, *command: str) -> None:
        done = subprocess.run(command, cwd=self.dir, **self.account, capture_output=True, check=False, stdin=subprocess.DEVNULL)
        if done.returncode:
            raise RuntimeError(f"{command[0]}: {done.stdout.decode()}{done.stderr.decode()}")

    def start(self, *command: str) -> None:
        watch = ["/bin/sh", "-c", WATCHDOG, "watchdog", self.dir, *command]
        self.watchdog = subprocess.Popen(
            watch, cwd=self.dir, env=self.env, **self.account, stdin=subprocess.PIPE, start_new_session=True
        )

    def wait(self, connect: Callable[[], Any]) -> None:
        until = time.monotonic() + 60
        while True:
            try:
                return connect().close()  # type: ignore[no-any-return]
            except Exception:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def end(self) -> None:
        assert self.watchdog.stdin
        self.watchdog.stdin.close()

    def ended(self) -> None:
        self.watchdog.wait(30)
        if self.beside:
            self.beside.end()
            self.beside.ended()


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def account(*names: str) -> str:
    known = {p.pw_name for p in pwd.getpwall()}
    return next((n for n in names if n in known), "nobody")


class MissingError(RuntimeError):
    """A server's program is not installed."""


def program(name: str, *folders: str) -> str:
    path = os.pathsep.join([os.environ.get("PATH", ""), *(f for pattern in folders for f in sorted(glob.glob(pattern)))])
    found = shutil.which(name, path=path)
    if not found:
        raise MissingError(f"{name} is not installed; `make servers` says how")
    return found


def postgres() -> Server:
    folders = ("/usr/lib/postgresql/*/bin", "/opt/homebrew/opt/postgresql*/bin")
    initdb, server = program("initdb", *folders), program("postgres", *folders)
    s = Server(account("postgres"))
    data = f"{s.dir}/data"
    s.run(initdb, f"--pgdata={data}", "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
    settings = (f"port={s.port}", "listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", "shared_buffers=32MB",
                "dynamic_shared_memory_type=mmap", "max_connections=100")  # fmt: skip
    s.start(server, "-D", data, *(word for setting in settings for word in ("-c", setting)))
    return s


def pgbouncer(behind: int) -> Server:
    """Transaction mode, with two connections to the server, and without what newer ones do about prepared statements."""
    s, bouncer = Server(account("postgres")), program("pgbouncer", "/usr/sbin")
    told = subprocess.run([bouncer, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    newer = ["max_prepared_statements = 0"] if [int(n) for n in told.split(".")[:2]] >= [1, 21] else []
    users, settings = f"{s.dir}/users.txt", f"{s.dir}/pgbouncer.ini"
    lines = ["[databases]", f"* = host=127.0.0.1 port={behind}", "[pgbouncer]", "listen_addr = 127.0.0.1",
             f"listen_port = {s.port}", "unix_socket_dir =", "auth_type = trust", f"auth_file = {users}",
             "pool_mode = transaction", "default_pool_size = 2", "max_client_conn = 500", *newer]  # fmt: skip
    for path, text in ((users, '"postgres" ""\n'), (settings, "\n".join(lines) + "\n")):
        with open(path, "w") as file:
            file.write(text)
    s.start(bouncer, settings)
    return s


def mariadb() -> Server:
    folders = ("/usr/sbin", "/usr/bin", "/usr/local/mysql/bin", "/opt/homebrew/opt/mariadb*/bin")
    install, server = program("mariadb-install-db", *folders), program("mariadbd", *folders)
    s = Server(account("mysql"))
    common = [f"--datadir={s.dir}/data", f"--tmpdir={s.dir}", "--character-set-server=utf8mb4", "--innodb-buffer-pool-size=32M",
              "--innodb-flush-log-at-trx-commit=0", "--skip-name-resolve"]  # fmt: skip
    s.run(install, "--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db", *common)
    s.start(server, "--no-defaults", "--bind-address=127.0.0.1", f"--port={s.port}", "--socket=", "--innodb-fast-shutdown=2",
            f"--pid-file={s.dir}/pid", *common)  # fmt: skip
    return s


def redis() -> Server:
    s = Server(account("redis"))
    s.start(program("redis-server"), "--port", str(s.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no")
    return s


RABBITMQ = ("/usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin", "/opt/homebrew/opt/rabbitmq/sbin", "/usr/lib/rabbitmq/bin")


def rabbitmq() -> Server:
    """With an epmd of its own, which would otherwise stay when the server has gone."""
    names = account("rabbitmq")
    epmd = Server(names)
    epmd.start(program("epmd", "/usr/lib/erlang/erts-*/bin"), "-port", str(epmd.port), "-address", "127.0.0.1")
    s = Server(names)
    for name, text in (("enabled_plugins", "[]."), ("rabbitmq.conf", ""), ("rabbitmq-env.conf", "")):
        with open(f"{s.dir}/{name}", "w") as file:
            file.write(text)
    own = {"NODENAME": f"tests{s.port}@localhost", "MNESIA_BASE": f"{s.dir}/mnesia", "LOG_BASE": f"{s.dir}/logs", "LOGS": "-",
           "NODE_IP_ADDRESS": "127.0.0.1", "NODE_PORT": str(s.port), "DIST_PORT": str(free_port()),
           "ENABLED_PLUGINS_FILE": f"{s.dir}/enabled_plugins", "CONFIG_FILE": f"{s.dir}/rabbitmq.conf",
           "CONF_ENV_FILE": f"{s.dir}/rabbitmq-env.conf", "PID_FILE": f"{s.dir}/pid", "ALLOW_INPUT": "true",
           "SERVER_START_ARGS": "-noinput"}  # fmt: skip
    s.env = {"PATH": os.environ["PATH"], "HOME": s.dir, "ERL_EPMD_PORT": str(epmd.port), "ERL_EPMD_ADDRESS": "127.0.0.1",
             **{f"RABBITMQ_{name}": value for name, value in own.items()}}  # fmt: skip
    s.start(program_in("rabbitmq-server", *RABBITMQ))  # the one on the PATH may change to another account
    s.beside = epmd
    return s


def program_in(name: str, *folders: str) -> str:
    found = [f"{f}/{name}" for pattern in folders for f in sorted(glob.glob(pattern)) if os.access(f"{f}/{name}", os.X_OK)]
    return found[0] if found else program(name)
