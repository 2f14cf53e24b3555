"""Guarded tasks whose worker, broker or database goes away. The task without the guard beside them repeats, or is lost."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import celery
import pytest

import twiceproof.celery
from broker import Shop, kill_child, kill_group, restart, until, waits
from servers import Server

Open = Callable[..., Shop]


@pytest.mark.parametrize("kill", [kill_child, kill_group])
@pytest.mark.parametrize(("task", "step"), [("old", "charge"), ("charge", "charge"), ("charge", "before")])
def test_killed_on_rabbitmq(opened: Open, rabbitmq: str, task: str, step: str, kill: Any) -> None:
    shop = opened(rabbitmq, lease=10 if kill is kill_child else 3)  # Celery sees after some 5s that a child has gone
    shop.work()
    shop.till.once(step, 1, kill)
    sent = shop.send(task, 1)
    until(lambda: shop.count(step, 1), "the kill")
    if kill is kill_group:
        shop.work()
    assert sent.get(timeout=60) == ({"charged": 1} if task == "old" or step == "before" else None)
    assert shop.count("charge", 1) == (2 if task == "old" and step == "charge" else 1)
    if task == "charge":
        assert shop.count("put_back", 1) < 10
        assert shop.record("state", "completion") == ("completed", "acted" if step == "before" else "found")
        assert shop.count("taken_over", 1) == 1


@pytest.mark.parametrize("task", ["old", "charge"])
def test_killed_on_redis_and_handed_out_again(opened: Open, task: str) -> None:
    shop = opened(lease=4, transport={"visibility_timeout": 3})
    shop.work()
    shop.till.once("charge", 1, kill_group)
    sent = shop.send(task, 1)
    until(lambda: shop.count("charge", 1), "the kill")
    until(overdue(shop), "the visibility timeout")
    shop.work()
    sent.get(timeout=60)
    assert shop.count("charge", 1) == (2 if task == "old" else 1)
    if task == "charge":
        assert shop.record("completion") == ("found",)


def overdue(shop: Shop, after: float = 3) -> Callable[[], bool]:
    """A message is claimed, and older than the visibility timeout."""

    def now() -> bool:
        with shop.app.connection_for_read() as connection:
            claimed = connection.default_channel.client.zrange("unacked_index", 0, -1, withscores=True)
        return bool(claimed) and all(score < time.time() - after for _, score in claimed)

    return now


def test_a_worker_that_was_given_up_comes_back(opened: Open) -> None:
    """Stopped after its effect, and done by another meanwhile: its completion changes nothing, and says that it came."""
    shop = opened(lease=3)
    stopped: list[int] = []

    def stop(told: Any) -> None:
        stopped.append(told["pid"])
        os.kill(told["pid"], signal.SIGSTOP)

    shop.work("-P", "prefork", "-c", "1")
    shop.till.once("charge", 1, stop)
    first = shop.send("charge", 1)
    until(lambda: stopped, "the stop")
    shop.work("-P", "prefork", "-c", "1")
    assert shop.send("charge", 1).get(timeout=60) is None  # the look-up has no result
    ended = shop.record("state", "completion", "claim_token", "completed_at")
    assert shop.record("late_finish_at") == (None,)  # the control
    os.kill(stopped[0], signal.SIGCONT)
    assert first.get(timeout=60) == {"charged": 1}
    assert ended[:2] == ("completed", "found")
    assert shop.record("state", "completion", "claim_token", "completed_at") == ended
    assert shop.record("late_finish_at") != (None,)
    assert "lost claim, a second effect may exist: key 1" in shop.logged()
    assert shop.count("charge", 1) == 1


def test_warm_shutdown(opened: Open) -> None:
    shop = opened()
    worker = shop.work()
    shop.till.once("charge", 1, lambda _: os.kill(worker.pid, signal.SIGTERM))
    sent = shop.send("charge", 1)
    assert sent.get(timeout=60) == {"charged": 1}
    assert worker.wait(60) == 0
    assert shop.count("charge", 1) == 1
    with shop.app.connection_for_read() as connection:
        assert connection.default_channel.client.llen(shop.job) == 0


@pytest.mark.parametrize(("task", "effects"), [("old", 2), ("charge", 1)])
def test_cold_shutdown(opened: Open, task: str, effects: int) -> None:
    """SIGQUIT gives back what is being done, which another worker does again."""
    shop = opened(lease=3)
    worker = shop.work()

    def quit_now(_: Any) -> None:
        os.kill(worker.pid, signal.SIGQUIT)
        worker.wait(60)

    shop.till.once("charge", 1, quit_now)
    sent = shop.send(task, 1)
    until(lambda: worker.poll() is not None, "its end")
    shop.work()
    sent.get(timeout=60)
    assert shop.count("charge", 1) == effects


@pytest.mark.parametrize(("task", "effects"), [("old", 2), ("charge", 1)])
def test_the_broker_restarts_before_the_acknowledgement(
    opened: Open, rabbitmq: str, rabbitmq_server: Server, task: str, effects: int
) -> None:
    shop = opened(rabbitmq)
    shop.work()
    shop.till.once("after", 1, lambda _: restart(rabbitmq_server))
    sent = shop.send(task, 1)
    assert sent.get(timeout=60) == {"charged": 1}
    until(lambda: received(shop, task, 2), "the second delivery")
    last = shop.send(task, 2)  # it is done when this one is
    last.get(timeout=60)
    until(lambda: shop.count("skipped", 1) or shop.count("after", 1) == 2, "its end")
    assert shop.count("charge", 1) == effects


@pytest.mark.parametrize(("task", "effects"), [("old", 2), ("charge", 1)])
def test_visibility_timeout_shorter_than_the_run(opened: Open, task: str, effects: int) -> None:
    shop = opened(transport={"visibility_timeout": 2})
    shop.work()
    free = threading.Event()
    shop.till.once("before", 1, waits(free))
    sent = shop.send(task, 1)
    until(lambda: shop.count("before", 1), "the first delivery")
    until(overdue(shop, 2), "the visibility timeout")
    shop.work()
    until(lambda: shop.count("before", 1) + shop.count("put_back", 1) >= 2, "the second delivery")
    free.set()
    assert sent.get(timeout=60) == {"charged": 1}
    until(lambda: shop.count("after", 1) == effects, "the effects")
    if task == "charge":
        until(lambda: shop.count("skipped", 1), "the end of the other copy")
    assert shop.count("charge", 1) == effects


def test_a_live_claim_is_no_storm_and_stops_nobody(opened: Open, rabbitmq: str) -> None:
    """RabbitMQ gives a killed worker's message back at once: it waits for its lease, the tasks behind it do not."""
    shop = opened(rabbitmq, lease=15)
    shop.work()
    shop.till.once("before", 0, kill_group)
    sent = shop.send("charge", 0)
    until(lambda: shop.count("before", 0), "the kill")
    shop.work("-P", "prefork", "-c", "1")
    until(lambda: shop.count("put_back", 0), "put back")
    behind = [shop.send("charge", key) for key in range(1, 31)]
    assert [s.get(timeout=60)["charged"] for s in behind] == list(range(1, 31))
    assert shop.record("state", key=0) == ("claimed",)
    assert sent.get(timeout=60) == {"charged": 0}
    assert shop.count("put_back", 0) < 10
    assert shop.count("charge", 0) == 1


def test_the_database_goes_away_after_the_effect(opened: Open) -> None:
    """Every connection is ended and none is let in until the lease is over: in doubt, and the look-up finds it."""
    shop = opened(lease=2, transport={"visibility_timeout": 4})
    shop.work()
    admin = shop.database.connect("postgres")
    admin.autocommit = True

    def away(_: Any) -> None:
        admin.execute("ALTER DATABASE tests ALLOW_CONNECTIONS false")
        admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE %s", [f"{shop.job}/%"])

    shop.till.once("after", 1, away)
    sent = shop.send("charge", 1)
    try:
        until(lambda: "nothing could be stored" in shop.logged(), "the outage")
    finally:
        admin.execute("ALTER DATABASE tests ALLOW_CONNECTIONS true")
        admin.close()
    sent.get(timeout=60)
    assert shop.record("state", "completion") == ("completed", "found")
    assert (shop.count("charge", 1), shop.count("look", 1)) == (1, 1)


def test_the_database_is_away(opened: Open, rabbitmq: str) -> None:
    """The message stays at the broker, without a hot loop, and acts when the database is back."""
    shop = opened(rabbitmq, transport={"visibility_timeout": 2})
    worker = shop.work(away=True)
    sent = shop.send("charge", 1)
    until(lambda: shop.count("put_back", 1) >= 2, "put back")
    os.killpg(worker.pid, signal.SIGTERM)
    assert worker.wait(60) == 0
    assert shop.count("put_back", 1) < 20
    assert shop.count("charge", 1) == 0
    shop.work()
    assert sent.get(timeout=60) == {"charged": 1}


def test_visibility_timeout_shorter_than_the_countdown(opened: Open) -> None:
    """Each worker that starts puts the waiting tasks back, and all copies are due at once: three start within the countdown."""
    shop = opened(lease=3, transport={"visibility_timeout": 2})
    shop.work()
    sent = [shop.send(task, task, countdown=40) for task in ("old", "charge")]
    for copies in (1, 2, 3):
        until(lambda n=copies: received(shop, "old", n) and received(shop, "charge", n), f"{copies} copies")  # type: ignore[misc]
        if copies < 3:
            until(overdue(shop, 2), "the visibility timeout")
            shop.work()
    for one in sent:
        one.get(timeout=60)
    until(lambda: shop.count("after", "charge") + shop.count("skipped", "charge") >= 3, "all copies")
    assert shop.count("charge", "charge") == 1
    assert shop.count("charge", "old") >= 2


def received(shop: Shop, task: str, copies: int) -> bool:
    return shop.logged().count(f"Task {task}[") >= copies


@pytest.mark.parametrize("how", ["acknowledged early", "not rejected on worker lost", "hard time limit"])
def test_a_message_that_celery_lost_is_pushed_again(opened: Open, how: str) -> None:
    """Only the record still has it."""
    settings = {"acknowledged early": {"acks_late": False}, "not rejected on worker lost": {"reject_on_worker_lost": False}}
    shop = opened(lease=2, **settings.get(how, {}))
    shop.work()
    task, mode = ("hard", "late_sleep") if how == "hard time limit" else ("charge", "ok")
    if mode == "ok":
        shop.till.once("charge", 1, kill_child)
    (shop.app.signature(task, (1, 1, mode)) | shop.app.signature("following", (1,))).apply_async()
    until(lambda: "WorkerLostError" in shop.logged() or "Hard time limit" in shop.logged(), "the loss")
    assert ("set acks_late=True" in shop.logged()) == (how == "acknowledged early")
    assert shop.count("following", 1) == 0
    (message,) = shop.record("message")
    twiceproof.celery.push(shop.app, bytes(message))
    until(lambda: shop.count("following", 1), "the chain")
    assert shop.count("charge", 1) == 1


def test_a_message_that_redis_lost_is_pushed_again(opened: Open, redis: str) -> None:
    """Redis evicts what it has no room for, or comes back without its data. What no worker has claimed nobody knows."""
    client = pytest.importorskip("redis").from_url(redis)
    shop = opened(lease=2)
    worker = shop.work()

    def lose(told: Any) -> None:
        client.flushall()
        kill_group(told)

    shop.till.once("charge", 1, lose)
    waiting = [shop.send("charge", f"waits {n}", countdown=600) for n in range(20)]
    until(lambda: received(shop, "charge", len(waiting)), "the ones that wait in the worker")
    shop.send("charge", 1)
    worker.wait(60)
    client.close()
    shop.work()
    (message,) = shop.record("message")
    twiceproof.celery.push(shop.app, bytes(message))
    until(lambda: shop.record("completion") == ("found",), "the look-up")
    assert shop.count("charge", 1) == 1
    assert shop.records("completed") + shop.records("claimed") == 1


@pytest.mark.parametrize("blind", [False, True])
def test_a_connection_from_before_the_fork_is_not_used(opened: Open, blind: bool) -> None:
    """The control is blind to forks: its children speak on their parent's socket."""
    shop = opened(before_fork=True, blind_to_forks=blind)
    worker = shop.work("-P", "prefork", "-c", "1")

    def connections() -> dict[str, Any]:
        query = "SELECT application_name, max(query_start) FROM pg_stat_activity GROUP BY 1"
        return {name: at for name, at in shop.database.execute(query) if name.startswith(f"{shop.job}/")}

    parent = f"{shop.job}/{worker.pid}"
    until(lambda: " ready." in shop.logged(), "the connection before the fork")
    before = connections()[parent]
    assert [shop.send("charge", key).get(timeout=60) for key in range(8)] == [{"charged": key} for key in range(8)]
    assert (connections().keys() == {parent}) == blind
    assert (connections()[parent] != before) == blind


@pytest.mark.parametrize("task", ["charge", "auto"])
def test_no_copy_can_be_sent(opened: Open, rabbitmq: str, task: str) -> None:
    """The worker reads from the broker but cannot write: the message itself goes back, again and again, not in a hot loop."""
    shop = opened(rabbitmq)
    shop.work(write="amqp://127.0.0.1:1//")
    free = threading.Event()
    shop.till.once("before", 1, waits(free))
    first = shop.send(task, 1)
    until(lambda: shop.count("before", 1), "the first delivery")
    second = shop.send(task, 1)
    until(partial(received, shop, task, 5), "redeliveries")
    free.set()
    assert [first.get(timeout=60), second.get(timeout=60)] == [{"charged": 1}] * 2
    assert shop.count("charge", 1) == 1
    assert shop.logged().count(f"Task {task}[") < 200
    failed = shop.send(task, 3, 1, "early_not_applied")
    if task == "charge":
        assert (failed.get(timeout=60), shop.count("try", 3), shop.count("charge", 3)) == ({"charged": 3}, 2, 1)
    else:  # Celery retries it by itself and drops it so: it is unfinished in the record, with its message
        until(lambda: shop.record("state", "acts", key=3) == ("claimed", 0), "the release")
        (message,) = shop.record("message", key=3)
        twiceproof.celery.push(shop.app, bytes(message))
        until(lambda: shop.count("charge", 3), "the stored message")
    lost = shop.send("old", 2, 1, "early_retry")  # the control: Celery itself drops a message whose retry cannot be sent
    until(lambda: shop.count("try", 2), "the control")
    with pytest.raises((celery.exceptions.TimeoutError, celery.exceptions.Reject)):
        lost.get(timeout=3)
    assert shop.count("charge", 2) == 0
