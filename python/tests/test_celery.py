"""Guarded tasks on real workers. Each "must not repeat" has the task without the guard beside it, which does."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Callable
from functools import partial

import celery
import pytest

from broker import Shop, kill_child, until, waits

Open = Callable[..., Shop]


def test_a_repeat_returns_the_stored_result(opened: Open) -> None:
    shop = opened()
    shop.work()
    for task, key, effects in (("old", 1, 4), ("charge", 2, 1), ("above", 3, 1)):
        calls = [((key,), {}), ((), {"order_id": key}), ((str(key), 1), {}), ((key,), {"mode": "ok"})]
        results = [shop.send(task, *args, kwargs=kwargs).get(timeout=60) for args, kwargs in calls]
        assert [str(r["charged"]) for r in results] == [str(key)] * 4
        assert shop.count("charge", key) == effects


def test_a_chain_goes_on_and_so_does_its_repeat(opened: Open) -> None:
    shop = opened()
    shop.work()
    for _ in range(2):
        steps = shop.app.signature("charge", (5,)) | shop.app.signature("following", (5,))
        assert steps.apply_async().get(timeout=60) == {"charged": 5}
    assert (shop.count("charge", 5), shop.count("following", 5), shop.count("skipped", 5)) == (1, 2, 1)
    assert [t["before"] for t in shop.till.told if t["step"] == "following"] == [{"charged": 5}] * 2


def copies_done(shop: Shop, task: str) -> bool:
    return shop.count("after", task) + shop.count("skipped", task) == 6


def test_many_copies_of_one_countdown(opened: Open) -> None:
    """As Redis makes them when the visibility timeout is shorter than the countdown: the same id, due at once."""
    shop = opened(lease=3)
    shop.work("-P", "prefork", "-c", "4")
    for task, effects in (("old", 6), ("charge", 1)):
        sent = [shop.send(task, task, countdown=1, task_id=f"{shop.job}.{task}") for _ in range(6)]
        sent[0].get(timeout=60)
        until(partial(copies_done, shop, task), task)
        assert shop.count("charge", task) == effects


def test_put_back_takes_no_retry_and_never_expires(opened: Open) -> None:
    """More put backs than max_retries, and far past expires."""
    shop = opened(lease=60, transport={"visibility_timeout": 1})
    shop.work()
    free = threading.Event()
    shop.till.once("before", 1, waits(free))
    first = shop.send("charge", 1)
    until(lambda: shop.count("before", 1), "the first delivery")
    second = shop.send("charge", 1, expires=2)
    until(lambda: shop.count("put_back", 1) >= 6, "six put backs")
    assert second.state == "RETRY"
    free.set()
    assert [first.get(timeout=60), second.get(timeout=60)] == [{"charged": 1}] * 2
    assert shop.count("charge", 1) == 1
    shop.send("old", 2, expires=-1)  # the control: Celery discards what has expired
    until(lambda: "Discarding revoked task: old" in shop.logged(), "discarded")


EARLY = ["early_raise", "early_retry", "early_not_applied", "early_not_applied_retry", "early_reject"]
LATE = ["late_raise", "late_retry", "late_reject", "late_key"]


@pytest.mark.parametrize("task", ["charge", "auto"])
def test_bodies_that_raise(opened: Open, task: str) -> None:
    """Before the effect (early) or after it (late): each comes again, and the look-up tells which it was."""
    shop = opened()
    shop.work()
    sent = [shop.send(task, mode, 1, mode) for mode in (*EARLY, *LATE)]
    for one in sent:
        one.get(timeout=60)
    assert {mode: shop.count("charge", mode) for mode in (*EARLY, *LATE)} == dict.fromkeys((*EARLY, *LATE), 1)
    assert {shop.record("state", "completion", key=mode) for mode in EARLY} == {("completed", "acted")}
    assert {shop.record("state", "completion", key=mode) for mode in LATE} == {("completed", "found")}


def test_the_control_of_bodies_that_raise(opened: Open) -> None:
    shop = opened()
    shop.work()
    sent = [shop.send("old", 1, 1, "late_retry"), shop.send("old", 2, 1, "late_raise")]
    sent[0].get(timeout=60)
    with pytest.raises(ValueError, match="nobody"):
        sent[1].get(timeout=60)
    assert shop.count("charge", 1) == 2


def test_retries_run_out(opened: Open) -> None:
    """A body that never succeeds fails with its own error, after the task's own three retries."""
    shop = opened()
    shop.work()
    shop.till.hooks["try", "1"] = lambda told: shop.till.counts.update({("try", "1"): -1})
    sent = shop.send("charge", 1, 1, "early_not_applied")
    with pytest.raises(Exception, match="cannot be reached"):
        sent.get(timeout=60)
    assert shop.count("before", 1) == 4
    assert shop.record("state", "acts") == ("claimed", 0)


def test_held(opened: Open) -> None:
    shop = opened(policy="hold", lease=60)
    shop.work()
    sent = shop.send("charge", 1, 1, "late_raise")
    until(lambda: sent.state == "HELD", "held")
    assert shop.count("held", 1) == 1
    assert shop.record("state", "hold_reason") == ("held", "unknown_outcome")
    again = shop.send("charge", 1, 1)
    until(lambda: again.state == "HELD", "held again")
    assert shop.count("charge", 1) == 1


def test_other_content_fails(opened: Open) -> None:
    shop = opened()
    shop.work()
    shop.send("charge", 1, 100).get(timeout=60)
    with pytest.raises(Exception, match="different content"):
        shop.send("charge", 1, 200).get(timeout=60)
    with pytest.raises(Exception, match="is null"):
        shop.send("charge", None).get(timeout=60)
    assert shop.count("charge", 1) == 1
    assert shop.count("charge", "None") == 0


def test_soft_time_limit_is_unknown(opened: Open) -> None:
    shop = opened()
    shop.work()
    sent = shop.send("soft", 1, 1, "late_sleep")
    sent.get(timeout=60)
    assert shop.count("charge", 1) == 1
    assert shop.record("completion") == ("found",)


@pytest.mark.parametrize("pool", ["threads", "gevent", "eventlet"])
def test_pools(opened: Open, pool: str) -> None:
    if pool != "threads" and not importlib.util.find_spec(pool):  # not imported here: it changes how this process forks
        pytest.skip(f"{pool} is not installed")
    shop = opened(database="pymysql", lease=3)
    shop.work("-P", pool, "-c", "8")
    sent = [shop.send("charge", key) for key in [*range(20), *range(10)]]
    assert {s.get(timeout=60)["charged"] for s in sent} == set(range(20))
    assert [shop.count("charge", key) for key in range(20)] == [1] * 20
    old = [shop.send("old", 100) for _ in range(2)]
    assert [s.get(timeout=60)["charged"] for s in old] == [100] * 2
    assert shop.count("charge", 100) == 2


def test_chord(opened: Open) -> None:
    shop = opened(lease=2)
    shop.work()
    shop.till.once("charge", 2, kill_child)
    for _ in range(2):
        header = [shop.app.signature("charge", (key,)) for key in (1, 2, 3)]
        done = celery.chord(header)(shop.app.signature("following", kwargs={"order_id": 9}))
        assert [value and value["charged"] for value in done.get(timeout=60)] == [1, None, 3]
    assert [shop.count("charge", key) for key in (1, 2, 3)] == [1] * 3


def test_own_row(opened: Open) -> None:
    shop = opened()
    shop.work()
    shop.till.once("charge", 1, kill_child)
    sent = [shop.send("row", 1), shop.send("row", 2, 1, "late_raise"), shop.send("row", kwargs={"order_id": "1"})]
    assert [s.get(timeout=60)["charged"] in (1, 2, "1") for s in sent] == [True] * 3
    found = shop.database.execute(f"SELECT item FROM effects WHERE job = '{shop.job}' ORDER BY item")
    assert [row[0] for row in found] == ["1", "2"]
