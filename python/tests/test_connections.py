"""The guard's own connections of SQLite, which belong to one thread or greenlet each."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import os, sqlite3, threading
from twiceproof.own import OwnConnections

opened = []

def connect():
    opened.append(1)
    return sqlite3.connect("test.db")

def use(_=None):
    for _ in range(2):
        with own.lend() as (connection, _driver):
            connection.execute("SELECT * FROM t").fetchall()

def files():
    return sum(os.path.realpath(f"/proc/self/fd/{fd}").endswith("test.db") for fd in os.listdir("/proc/self/fd"))

own = OwnConnections(connect)
use()
{run}
use()  # its own connection is there still
print(len(opened), files())
"""
RUN = {
    "threads": """
for _ in range(9):
    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
""",
    "gevent": """
import gevent
for _ in range(9):
    gevent.spawn(use).join()
gevent.idle()
""",
    "eventlet": """
import eventlet
for _ in range(9):
    eventlet.spawn(use).wait()
eventlet.sleep(0)
""",
}
PATCHED = {
    "threads": "",
    "gevent": "import gevent.monkey; gevent.monkey.patch_all()",
    "eventlet": "import warnings; warnings.simplefilter('ignore'); import eventlet; eventlet.monkey_patch()",
}


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are counted in /proc")
@pytest.mark.parametrize("kind", RUN)
def test_closed_with_its_thread_or_greenlet(kind: str, tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "test.db")
    database.execute("CREATE TABLE t (x)")
    database.close()
    program = PATCHED[kind] + PROGRAM.replace("{run}", RUN[kind])
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1] / "src")}
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("10 1\n", "")
