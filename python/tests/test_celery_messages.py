"""The message of a guarded task comes again as it was sent, whatever stands around the task and whatever its body does."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import celery
import pytest

import twiceproof.celery
from broker import Shop, until, waits

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


@pytest.mark.parametrize(("settings", "level"), [({"table": "nowhere"}, "ERROR"), ({"away": True}, "WARNING")])
def test_nothing_can_be_stored(opened: Open, settings: dict[str, Any], level: str) -> None:
    """A table that is missing stays missing: somebody must hear of it."""
    shop = opened()
    shop.work(**settings)
    shop.send("charge", 1)
    until(lambda: shop.count("put_back", 1), "put back")
    (line,) = [line for line in shop.logged().splitlines() if "put back for" in line]
    assert f": {level}/" in line
    assert "nothing could be stored" in line
