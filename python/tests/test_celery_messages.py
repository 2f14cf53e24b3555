"""The message of a guarded task comes again as it was sent, whatever stands around the task and whatever its body does."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import Any

import celery
import pytest

import twiceproof.celery
from broker import Shop, until, waits
from twiceproof.statements import statement

Open = Callable[..., Shop]


@pytest.mark.parametrize("task", ["charge", "wrapped"])
def test_a_decorator_between_the_task_and_the_guard(opened: Open, task: str) -> None:
    """The task is found behind it: else the call would count as one without a worker, and its message be lost."""
    shop = opened()
    shop.work()
    shop.send(task, 1, 1, "late_raise").get(timeout=60)
    assert (shop.count("charge", 1), shop.count("put_back", 1)) == (1, 1)
    assert shop.record("completion") == ("found",)


def test_a_body_that_changes_its_argument(opened: Open) -> None:
    shop = opened()
    shop.work()
    shop.send("changes", 1, 1, "early_raise", ["book"]).get(timeout=60)
    assert [told["cart"] for told in shop.till.told if told["step"] == "cart"] == [["book", "shipping"]] * 2


def test_headers_of_the_application(opened: Open) -> None:
    """In the copy that waits, and in the record's message: a task with a tenant never runs without it."""
    shop = opened()
    shop.work()
    shop.send("charge", 1, 1, "late_raise", headers={"tenant": "acme"}, ignore_result=True)
    until(lambda: shop.count("taken_over", 1), "the copy")
    shop.send("charge", 2, 1, "late_drop", headers={"tenant": "acme"}, ignore_result=True)
    until(lambda: shop.record("given_up", key=2) == (1,), "in doubt")
    (message,) = shop.record("message", key=2)
    twiceproof.celery.push(shop.app, bytes(message))
    until(lambda: shop.count("taken_over", 2), "the stored message")
    told: list[Any] = [told["headers"] for told in shop.till.told if told["step"] == "taken_over"]
    assert told == [["acme", True]] * 2


@pytest.mark.skipif(celery.VERSION < (5, 5), reason="holds every copy in its memory")
def test_copies_that_rabbitmq_itself_delays(opened: Open, rabbitmq: str) -> None:
    """They come to the queue that the message came from, and so do copies of copies."""
    shop = opened(rabbitmq, delayed=True, transport={"visibility_timeout": 4})
    other = f"{shop.job}.other"
    with shop.app.connection_for_write() as connection:  # before the worker, which binds every queue
        shop.app.amqp.queues[shop.job].bind(connection.default_channel).declare()
    shop.work("-Q", other)
    until(lambda: " ready." in shop.logged(), "the queues that delay")
    free = threading.Event()
    shop.till.once("before", 1, waits(free))
    first = shop.send("charge", 1, queue=other)
    until(lambda: shop.count("before", 1), "the first delivery")
    second = shop.send("charge", 1, queue=other)
    until(lambda: shop.count("put_back", 1) >= 2, "a copy's copy")
    free.set()
    assert [first.get(timeout=60), second.get(timeout=60)] == [{"charged": 1}] * 2
    shop.send("charge", 2, 1, "late_raise", queue=other).get(timeout=60)
    assert (shop.count("charge", 1), shop.count("charge", 2), shop.count("put_back", 2)) == (1, 1, 1)


KEYLESS = "CREATE TABLE later AS SELECT * FROM idempotency_records WHERE 1 = 0"


def put_backs(shop: Shop) -> list[str]:
    return [line for line in shop.logged().splitlines() if "put back for" in line]


@pytest.mark.parametrize("database", ["psycopg", "pymysql", "sqlite3"])
@pytest.mark.parametrize("unfit", ["", KEYLESS], ids=["none", "no key"])
def test_a_migration_that_comes_after_the_deploy(opened: Open, database: str, unfit: str) -> None:
    """A table that is missing, or is not as it must be, stays so: somebody must hear of it, and no message is lost by it."""
    shop = opened(database=database, table="later", transport={"visibility_timeout": 4})
    try:
        if unfit:
            shop.database.execute(unfit)
        worker = shop.work()
        sent = [shop.send("charge", 1), shop.send("row", 2)]
        until(lambda: shop.count("put_back", 1) >= 2 and shop.count("put_back", 2) >= 2, "put back")
        told = put_backs(shop)
        assert all(": ERROR/" in line and "nothing could be stored" in line for line in told), told
        assert [shop.count("before", key) for key in (1, 2)] == [0, 0]
        shop.database.execute("DROP TABLE IF EXISTS later")
        shop.database.execute(statement(shop.database.dialect, "schema", "later", "?").sql)
        if unfit and database == "sqlite3":  # a connection of SQLite's looks anew for a table that it misses, not for a key
            os.kill(worker.pid, signal.SIGTERM)
            assert worker.wait(60) == 0
            shop.work()
        assert [s.get(timeout=60) for s in sent] == [{"charged": 1}, {"charged": 2}]  # the control
        assert [shop.count("charge", key) for key in (1, 2)] == [1, 1]
    finally:
        shop.stop()
        shop.database.execute("DROP TABLE IF EXISTS later")


def test_a_database_that_is_away_is_a_warning(opened: Open) -> None:
    """It may come back by itself."""
    shop = opened()
    shop.work(away=True)
    shop.send("charge", 1)
    until(lambda: shop.count("put_back", 1), "put back")
    (line,) = put_backs(shop)
    assert ": WARNING/" in line
    assert "nothing could be stored" in line
