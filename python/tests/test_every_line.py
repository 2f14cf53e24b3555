"""A time limit strikes at each line of the guard's own, in turn: it is raised from a signal, so nothing defers it."""

from __future__ import annotations

import gc
import itertools
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from contextvars import copy_context
from dataclasses import replace
from pathlib import Path as File
from typing import Any

import pytest
from celery import Celery
from celery.exceptions import Ignore, Retry, SoftTimeLimitExceeded
from frameworks import INSERT, Django, Own, SQLAlchemy, rows

import twiceproof
import twiceproof.celery
from databases import Database
from jobs import a_job, guard, order
from twiceproof import Guard, NotStoredError, OpenTransactionError, Operation, Path
from twiceproof.celery.errors import KeptAtBroker
from twiceproof.driver import driver_of
from twiceproof.key import Fingerprint
from twiceproof.record import Claimed
from twiceproof.transaction import OwnTransaction

LIB = str(File(twiceproof.__file__).parent)
_keys = itertools.count(1)


class Strike:
    """Raises at the nth line of the package that is run, and tells where."""

    def __init__(self, nth: int, package: str) -> None:
        self.left = nth
        self.package = package
        self.at = ""

    def __enter__(self) -> Strike:
        gc.disable()  # what it runs would be struck, too, and Python 3.11 loses its place then
        sys.settrace(self.trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)
        gc.enable()

    def trace(self, frame: Any, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(self.package) or frame.f_code.co_name == "__del__":  # where Python drops it
            return None
        self.left -= event == "line"
        if self.left == 0 and not self.at:
            self.at = f"{File(frame.f_code.co_filename).name}:{frame.f_lineno}"
            raise SoftTimeLimitExceeded(self.at)
        return self.trace


class Delivered:
    """A guarded task that runs as in a worker, for a message of a broker in memory."""

    def __init__(self, g: Guard) -> None:
        self.acted: list[Any] = []
        app = Celery(broker="memory://", set_as_current=False)
        app.conf.update(task_default_queue=g.job.type, task_acks_late=True, task_ignore_result=True)

        def charge(_: Any, order: Any) -> None:
            self.acted.append(order)

        guarded = twiceproof.celery.job(g.job.type, guard=g)(charge)
        self.app, self.task = app, app.task(guarded, name=g.job.type, shared=False, lazy=False, bind=True)

    def run(self, key: int) -> None:
        info = {"exchange": "", "routing_key": self.task.name}
        self.task.push_request(id="1", args=[key], kwargs={}, called_directly=False, is_eager=False, delivery_info=info)
        try:
            copy_context().run(self.task.run, key)
        finally:
            self.task.pop_request()

    def copies(self) -> int:
        with self.app.connection_for_read() as connection, connection.SimpleQueue(self.task.name) as queue:
            count: int = queue.qsize()
            queue.clear()
        return count


@pytest.fixture
def made(database: Database) -> Iterator[Guard]:
    job = replace(a_job("hold"), queue="celery", operation=Operation(key=(Path.parse("args[0]"),)))
    g = guard(database, job)
    yield g
    g.close()


def each_line(
    deliver: Callable[[int], Any], stride: int = 1, before: Callable[[int], Any] = bool, package: str = LIB
) -> Iterator[tuple[int, str, type | None]]:
    """The key, where it struck, and what the delivery ended in."""
    for nth in itertools.count(1, stride):
        key, ended = next(_keys), None
        before(key)
        with Strike(nth, package) as strike:
            try:
                deliver(key)
            except (Retry, KeptAtBroker, SoftTimeLimitExceeded, NotStoredError) as error:
                ended = type(error)
        if not strike.at:
            assert nth > 100
            return
        yield key, strike.at, ended


ENTRY = 5  # lines before the guard can keep a message; Celery's own before them cannot either


@pytest.mark.on("sqlite3")
def test_no_message_is_lost_and_nothing_repeats(made: Guard) -> None:
    d, lost = Delivered(made), []
    for key, at, ended in each_line(d.run):
        found = made.records.read(str(key))
        if not (d.copies() or ended is KeptAtBroker or (found and found.state == "completed")):
            lost.append(at)
        with suppress(Retry, Ignore):
            d.run(key)
        assert d.acted.count(key) <= 1, at
    assert 0 < len(lost) <= ENTRY, lost  # the first ones are the control


@pytest.mark.on("sqlite3")
def test_no_message_is_lost_that_met_a_live_claim(made: Guard) -> None:
    d = Delivered(made)
    struck = each_line(d.run, before=lambda key: made.records.claim(Claimed(str(key), Fingerprint(), "r")))
    lost = [at for _, at, ended in struck if not d.copies() and ended is not KeptAtBroker]
    assert 0 < len(lost) <= ENTRY, lost  # the first ones are the control
    assert d.acted == []


class Bare:
    def __init__(self, database: Database) -> None:
        self.connection = database.connect()
        driver_of(self.connection).commit_each(self.connection)

    def transaction(self, g: Guard) -> OwnTransaction:
        return OwnTransaction(self.connection, g.records)

    def execute(self, sql: str) -> None:
        driver_of(self.connection).execute(self.connection, sql)

    def close(self) -> None:
        with suppress(Exception):  # the guard may have closed it
            self.connection.close()


def assert_as_it_was(framework: object, at: str) -> None:
    """In MySQL autocommit is off meanwhile: where it stayed off, what the application writes next would not be committed."""
    if isinstance(framework, Bare) and getattr(framework.connection, "open", False):
        assert driver_of(framework.connection).commits_each(framework.connection), at


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # connections on their way are left to Python
@pytest.mark.parametrize("kind", [Bare, SQLAlchemy, Django])
@pytest.mark.parametrize("raises", [False, True])
def test_a_row_and_its_record_agree(database: Database, kind: Any, raises: bool) -> None:
    if (kind is Django and database.name != "psycopg") or (kind is SQLAlchemy and database.name not in ("psycopg", "pymysql")):
        pytest.skip("elsewhere it is the same code")
    job = a_job(own_row=True)
    g = guard(database, job)
    framework = kind(database)
    stride = 1 if database.dialect == "sqlite" or os.environ.get("TWICEPROOF_FULL") else 7

    tried: set[str] = set()

    def act(op: Any) -> None:
        framework.execute(f"INSERT INTO effects (job, item) VALUES ('{job.type}', '{op.key}')")
        if raises and op.key not in tried:
            tried.add(op.key)
            raise ValueError("no")

    def deliver(key: int) -> Any:
        return g.run_in(framework.transaction(g), order(key), act)

    def rows_of(key: int) -> int:
        return int(database.execute(f"SELECT COUNT(*) FROM effects WHERE job = '{job.type}' AND item = '{key}'")[0][0])

    for key, at, _ in each_line(deliver, stride):
        found = g.records.read(str(key))
        assert rows_of(key) == (found is not None and found.state == "completed"), at
        assert_as_it_was(framework, at)
        try:
            deliver(key)
        except OpenTransactionError as error:
            raise AssertionError(at) from error
        except NotStoredError:  # the guard has closed the connection
            if isinstance(framework, Bare):  # nobody else connects it again
                framework = kind(database)
        assert deliver(key).outcome == "completed", at
        assert rows_of(key) == 1, at
    framework.close()
    g.close()
    gc.collect()


def stuck_after_a_time_limit_within_sqlalchemy(database: Database, own: Own) -> list[str]:
    """Where it struck; what was delivered again is there once."""
    import sqlalchemy

    job, g = own
    stuck: list[str] = []
    framework = SQLAlchemy(database, max_overflow=-1)  # a checkout that is struck loses a place of the pool

    def deliver(key: int) -> Any:
        act: Callable[[Any], None] = lambda op: framework.execute(INSERT.format(job.type, op.key))  # noqa: E731
        return g.run_in(framework.transaction(g), order(key), act)

    package, stride = str(File(sqlalchemy.__file__).parent), 1 if os.environ.get("TWICEPROOF_FULL") else 7
    for count, (key, at, _) in enumerate(each_line(deliver, stride, package=package), 1):
        try:
            assert deliver(key).outcome == "completed", at
            assert stuck or rows(database, job) == count, at
        except OpenTransactionError:
            stuck.append(at)
            framework = SQLAlchemy(database, max_overflow=-1)
    framework.close()
    return stuck


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore:Can't invalidate")
@pytest.mark.on("psycopg", "pymysql")
@pytest.mark.parametrize("control", [False, True])
def test_a_time_limit_within_sqlalchemy_leaves_no_session_open(
    database: Database, own: Own, control: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Not its connection alone is given up then, as the control does it."""
    from twiceproof.sqlalchemy import SessionTransaction

    caplog.set_level("CRITICAL", "twiceproof")  # what is logged with its traceback would keep connections
    if control:
        monkeypatch.setattr(SessionTransaction, "drop", OwnTransaction.drop)
    stuck = stuck_after_a_time_limit_within_sqlalchemy(database, own)
    assert bool(stuck) == control, stuck
    gc.collect()
