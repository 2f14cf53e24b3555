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
    for task, key, effects in (("old", 1, 4), ("charge", 2, 1), ("unbound", 4, 1)):
        calls = [((key,), {}), ((), {"order_id": key}), ((str(key), 1), {}), ((key,), {"mode": "ok"})]
        results = [shop.send(task, *args, kwargs=kwargs).get(timeout=60) for args, kwargs in calls]
        assert [str(r["charged"]) for r in results] == [str(key)] * 4
        assert shop.count("charge", key) == effects


def test_a_chain_goes_on_and_so_does_its_repeat(opened: Open) -> None:
    shop = opened()
    shop.work()
    for task, key, effects in (("old", 4, 2), ("charge", 5, 1)):
        for _ in range(2):
            steps = shop.app.signature(task, (key,)) | shop.app.signature("following", (key,))
            assert steps.apply_async().get(timeout=60) == {"charged": key}
        assert (shop.count("charge", key), shop.count("following", key), shop.count("skipped", key)) == (effects, 2, 2 - effects)
        assert [t["before"] for t in shop.till.told if t["step"] == "following"][-2:] == [{"charged": key}] * 2


def test_a_group_and_its_repeat(opened: Open) -> None:
    shop = opened()
    shop.work()
    for task, keys, effects in (("old", (1, 2), 2), ("charge", (3, 4), 1)):
        for _ in range(2):
            sent = celery.group(shop.app.signature(task, (key,)) for key in keys).apply_async()
            assert sent.get(timeout=60) == [{"charged": key} for key in keys]
        assert [shop.count("charge", key) for key in keys] == [effects] * 2


def copies_done(shop: Shop, task: str) -> bool:
    return shop.count("after", task) + shop.count("skipped", task) == 6


@pytest.mark.parametrize("database", ["psycopg", "pymysql", "sqlite3"])
def test_many_copies_of_one_countdown(opened: Open, database: str) -> None:
    """As Redis makes them when the visibility timeout is shorter than the countdown: the same id, due at once."""
    shop = opened(database=database, lease=3)
    shop.work("-P", "prefork", "-c", "4")
    for task, effects in (("old", 6), ("charge", 1)):
        sent = [shop.send(task, task, countdown=1, task_id=f"{shop.job}.{task}") for _ in range(6)]
        sent[0].get(timeout=60)
        until(partial(copies_done, shop, task), task)
        assert shop.count("charge", task) == effects
    assert "nothing could be stored" not in shop.logged()  # such as a deadlock, or a database that is locked


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
    assert {told["retries"] for told in shop.till.told if told["step"] == "put_back"} == {0}
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


@pytest.mark.parametrize("how", ["ignore", "drop"])
def test_a_body_that_wants_no_other_delivery(opened: Open, how: str) -> None:
    """Ignore and Reject do what they say: no message is left. In the record it is in doubt, and the next one looks."""
    shop = opened(lease=600)
    shop.work()
    for mode in ("early", "late"):
        shop.send("charge", mode, 1, f"{mode}_{how}")
        until(lambda key=mode: shop.record("given_up", key=key) == (1,), mode)  # type: ignore[misc]
        assert shop.record("state", key=mode) == ("claimed",)
        shop.send("charge", mode, 1).get(timeout=60)
        assert shop.count("before", mode) == (2 if mode == "early" else 1)
        assert shop.count("charge", mode) == 1
    for _ in range(2):  # the control
        shop.send("old", "old", 1, f"late_{how}")
    until(lambda: shop.count("charge", "old") == 2, "the control")


@pytest.mark.parametrize("mode", ["early_exit", "late_exit"])
def test_a_body_that_ends_its_process(opened: Open, mode: str) -> None:
    shop = opened(lease=600)
    shop.work()
    shop.send("charge", 1, 1, mode).get(timeout=60)
    assert shop.count("charge", 1) == 1
    assert shop.record("completion") == ("found" if mode == "late_exit" else "acted",)
    shop.send("old", 2, 1, "late_exit").get(timeout=60)  # the control
    assert shop.count("charge", 2) == 2


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
    """It neither succeeds nor fails, spends no retry beyond the body's own, and stops its chain."""
    shop = opened(policy="hold", lease=60)
    shop.work()
    for count in (1, 2):
        steps = shop.app.signature("charge", (1, 1, "late_raise")) | shop.app.signature("following", (1,))
        sent = steps.apply_async()
        until(lambda sent=sent: sent.parent.state == "HELD", "held")  # type: ignore[misc]
        assert (shop.count("held", 1), shop.count("put_back", 1)) == (count, 1)
        assert shop.logged().count("held for a person: key 1") >= count
    assert shop.record("state", "hold_reason") == ("held", "unknown_outcome")
    steps = shop.app.signature("charge", (2,)) | shop.app.signature("following", (2,))  # the control
    steps.apply_async().get(timeout=60)
    assert (shop.count("following", 1), shop.count("following", 2), shop.count("charge", 1)) == (0, 1, 1)


def test_other_content_fails(opened: Open) -> None:
    shop = opened()
    shop.work()
    shop.send("charge", 1, 100).get(timeout=60)
    with pytest.raises(Exception, match="different content"):
        shop.send("charge", 1, 200).get(timeout=60)
    assert shop.count("charge", 1) == 1


def test_calls_that_name_no_operation_fail_at_once(opened: Open) -> None:
    shop = opened()
    shop.work()
    calls = {"is null": (None,), "255 bytes": ("é" * 128,), "missing a required argument": (), "too many": (1, 2, "ok", 4)}
    for why, args in calls.items():
        with pytest.raises(Exception, match=why):
            shop.send("charge", *args).get(timeout=60)
    assert not shop.till.told
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    for key in ("é" * 127, composed, decomposed, "A", "a"):
        assert shop.send("charge", key).get(timeout=60) == {"charged": key}
        assert shop.count("charge", key) == 1


@pytest.mark.parametrize("mode", ["early_sleep", "late_sleep"])
def test_soft_time_limit_is_unknown(opened: Open, mode: str) -> None:
    """RETRY, and acknowledged for a copy that looks. Without the guard it has failed, and nothing comes again."""
    shop = opened(lease=600)
    shop.work()
    free = threading.Event()
    shop.till.once("look", 1, waits(free))
    sent = shop.send("soft", 1, 1, mode)
    until(lambda: shop.count("look", 1), "the look-up")
    assert sent.state == "RETRY"
    free.set()
    sent.get(timeout=60)
    assert (shop.count("charge", 1), shop.count("put_back", 1)) == (1, 1)
    assert shop.record("completion") == ("found" if mode == "late_sleep" else "acted",)
    old = shop.send("old", 2, 1, mode, soft_time_limit=2)
    with pytest.raises(Exception, match="SoftTimeLimitExceeded"):
        old.get(timeout=60)
    assert shop.count("before", 2) == 1


@pytest.mark.parametrize("pool", ["solo", "prefork", "threads", "gevent", "eventlet"])
def test_pools(opened: Open, pool: str) -> None:
    # It is not imported here, since that changes how this process forks.
    if pool in ("gevent", "eventlet") and not importlib.util.find_spec(pool):
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


def test_a_transaction_that_somebody_left_open(opened: Open) -> None:
    """It is refused for as long as it is open, and no message is lost by that."""
    shop = opened(transport={"visibility_timeout": 4})
    shop.work("-P", "prefork", "-c", "1")
    shop.send("on_books", "SELECT 1").get(timeout=60)
    sent = [shop.send("row", 1), shop.send("beside", 2)]
    until(lambda: shop.count("put_back", 1) and shop.count("put_back", 2), "put back")
    assert [shop.count("before", key) for key in (1, 2)] == [0, 0]
    told = [line for line in shop.logged().splitlines() if "nothing could be stored: a transaction is open" in line]
    assert len(told) >= 2
    assert all("ERROR/" in line for line in told)
    shop.send("on_books", "ROLLBACK").get(timeout=60)
    assert [s.get(timeout=60)["charged"] for s in sent] == [1, 2]


def test_a_body_that_swallows_an_error_of_the_database(opened: Open) -> None:
    """Its transaction takes nothing more. Nothing is there, so the message comes again as after any error of the body."""
    shop = opened()
    shop.work()
    assert shop.send("row", 1, 1, "early_swallow").get(timeout=60)["charged"] == 1
    with pytest.raises(Exception, match="not committed: current transaction is aborted"):  # the control: no retry is left
        shop.send("row", 2, 1, "early_swallow", retries=3).get(timeout=60)
    found = shop.database.execute(f"SELECT item FROM effects WHERE job = '{shop.job}'")
    assert [row[0] for row in found] == ["1"]


def was_logged(shop: Shop, words: str) -> bool:
    return words in shop.logged()


def test_what_is_told_where_no_retry_is_left(opened: Open) -> None:
    """Of an own row nothing is left."""
    shop = opened()
    shop.work()
    for task, key, says in (("row", 1, "nothing was done: released"), ("charge", 2, "the record keeps what it knows: given_up")):
        with pytest.raises(ValueError, match="nobody knows"):
            shop.send(task, key, 1, "early_raise", retries=3).get(timeout=60)
        until(partial(was_logged, shop, f"no retry is left, {says}: key {key}"), "the last word")
