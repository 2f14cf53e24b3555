"""Real brokers and real Celery workers, and the till outside them that counts effects."""

from __future__ import annotations

import gc
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import servers
import tasks

PATIENCE = 60.0
Told = dict[str, Any]
_numbers = itertools.count(1)


class Till:
    """Counts what workers tell it, by step and key. A hook is called after the counting and before the answer."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self.told: list[Told] = []
        self.hooks: dict[tuple[str, str], Callable[[Told], None]] = {}
        till = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with suppress(OSError):  # the worker may have been killed
                    self.answer(till.tell(told))

            def answer(self, body: Told) -> None:
                text = json.dumps(body).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_: Any) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def tell(self, told: Told) -> Told:
        at = (told["step"], told["key"])
        self.counts[at] += 1
        count = self.counts[at]
        self.told.append(told)
        if hook := self.hooks.get(at):
            hook(told)
        return {"count": count, "charges": self.counts["charge", told["key"]]}

    def count(self, step: str, key: object) -> int:
        return self.counts[step, str(key)]

    def once(self, step: str, key: object, hook: Callable[[Told], None]) -> None:
        """The next time only."""
        at = (step, str(key))

        def first(told: Told) -> None:
            del self.hooks[at]
            hook(told)

        self.hooks[at] = first

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def kill_child(told: Told) -> None:
    os.kill(told["pid"], signal.SIGKILL)


def kill_group(told: Told) -> None:
    os.killpg(os.getpgid(told["pid"]), signal.SIGKILL)


def waits(event: threading.Event) -> Callable[[Told], None]:
    """The worker waits, too."""

    def hook(_: Told) -> None:
        assert event.wait(PATIENCE)

    return hook


def until(condition: Callable[[], Any], what: str = "") -> Any:
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end, f"not within {PATIENCE}s: {what}"
        time.sleep(0.05)
    return found


class Shop:
    """One test's application: a till, a queue of its own, and its workers."""

    def __init__(self, broker: str, backend: str, database: Any, **settings: Any) -> None:
        self.till = Till()
        number = next(_numbers)
        self.job = f"shop{os.getpid()}.{number}"
        self.settings = {"broker": broker, "backend": backend, "queue": self.job, "job": self.job,
                         "database": database.address(), "till": self.till.server.server_port, **settings}  # fmt: skip
        self.database = database
        self.app = tasks.application(self.settings)
        self.workers: list[subprocess.Popen[bytes]] = []
        self.folder = tempfile.TemporaryDirectory(prefix="twiceproof-")

    def work(self, *options: str, app: str = "tasks", **settings: Any) -> subprocess.Popen[bytes]:
        pool = options or ("-P", "prefork", "-c", "2")
        quick = ("--without-gossip", "--without-mingle", "--without-heartbeat")
        name = f"w{len(self.workers)}@{self.job}"
        return self.start("-A", app, "worker", "-l", "INFO", "-n", name, *quick, *pool, **settings)

    def beat(self) -> subprocess.Popen[bytes]:
        return self.start(
            "-A", "tasks", "beat", "--pidfile=", "--max-interval", "1", "-s", f"{self.folder.name}/beat{len(self.workers)}"
        )

    def start(self, *arguments: str, **settings: Any) -> subprocess.Popen[bytes]:
        here, command = Path(__file__).parent, [sys.executable, "-m", "celery", *arguments]
        env = {**os.environ, "TASKS": json.dumps({**self.settings, **settings}),
               "PYTHONPATH": os.pathsep.join([str(here), str(here.parent / "src")])}  # fmt: skip
        with open(self.log, "ab") as log:
            worker = subprocess.Popen(
                command, cwd=here, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        self.workers.append(worker)
        return worker

    @property
    def log(self) -> str:
        return f"{self.folder.name}/log"

    def logged(self) -> str:
        return Path(self.log).read_text("utf-8", "replace") if self.workers else ""

    def send(self, task: str, *args: Any, **options: Any) -> Any:
        return self.app.send_task(task, args, options.pop("kwargs", None), **options)

    def count(self, step: str, key: object) -> int:
        return self.till.count(step, key)

    def record(self, *columns: str, key: object = 1) -> Any:
        where = f"job_type = '{self.job}.outside' AND operation_key = '{key}'"
        found = self.database.execute(f"SELECT {', '.join(columns)} FROM idempotency_records WHERE {where}")
        return tuple(found[0]) if found else None

    def records(self, state: str) -> int:
        where = f"job_type = '{self.job}.outside' AND state = '{state}'"
        return int(self.database.execute(f"SELECT COUNT(*) FROM idempotency_records WHERE {where}")[0][0])

    def stop(self) -> None:
        for worker in self.workers:
            with suppress(ProcessLookupError):
                os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()

    def close(self) -> None:
        self.stop()
        self.till.close()
        gc.collect()  # results that are left say goodbye to the backend, which must be there still
        self.app.close()
        self.database.close()
        self.folder.cleanup()


def redis() -> servers.Server:
    import redis as client

    server = servers.redis()
    server.wait(lambda: _pinged(client.Redis(port=server.port)))
    return server


def restart(rabbitmq: servers.Server) -> None:
    """The broker in its node: every connection is cut, what was not acknowledged comes again."""
    control = servers.program_in("rabbitmqctl", *servers.RABBITMQ)
    for command in ("stop_app", "start_app"):
        subprocess.run(
            [control, command], env=rabbitmq.env, cwd=rabbitmq.dir, check=True, capture_output=True, **rabbitmq.account
        )


class SQS:
    """The replay's own endpoint, in a process that ends with this one."""

    def __init__(self) -> None:
        go, root = servers.program("go"), Path(__file__).parents[2]
        self.process = subprocess.Popen([go, "run", "./scripts/sqs"], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout
        self.url = self.process.stdout.readline().decode().strip()
        assert self.url, "the endpoint did not start"

    def end(self) -> None:
        self.process.communicate()

    def ended(self) -> None: ...


def _pinged(client: Any) -> Any:
    client.ping()
    return client


def rabbitmq() -> servers.Server:
    from kombu.connection import Connection

    server = servers.rabbitmq()
    address = f"amqp://guest:guest@127.0.0.1:{server.port}//"
    server.wait(lambda: Connection(address, connect_timeout=5).connect())
    return server
