"""Which tasks are one operation, on real workers: by job and key, however many tasks, messages, schedulers and applications."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from broker import Shop, kill_group, until

Open = Callable[..., Shop]


def test_two_jobs_have_the_same_key_and_a_renamed_task_keeps_its_job(opened: Open) -> None:
    """The job's type is an explicit name: a task that is renamed in a deploy still knows what the old one did."""
    shop = opened()
    shop.work()
    for task, effects in (("charge", 1), ("unbound", 1), ("beside", 2), ("beside", 2), ("charge", 2)):
        assert shop.send(task, 42).get(timeout=60) == {"charged": 42}
        assert shop.count("charge", 42) == effects
    for task in ("charge", "old"):  # the control knows no job, so no operation either
        shop.send(task, 7).get(timeout=60)
    assert shop.count("charge", 7) == 2


@pytest.mark.parametrize(("key", "effects"), [(["kwargs.order_id"], 1), (["headers.tenant", "kwargs.order_id"], 2)])
@pytest.mark.parametrize("on", ["redis", "rabbitmq"])
def test_a_tenant_in_the_headers(opened: Open, request: pytest.FixtureRequest, on: str, key: list[str], effects: int) -> None:
    """Without it in the key the other tenant is skipped: the control."""
    shop = opened(request.getfixturevalue(on), key=key)
    shop.work()
    for tenant in ("acme", 2**53 + 1, "acme"):
        shop.send("charge", 42, headers={"tenant": tenant}).get(timeout=60)
    assert shop.count("charge", 42) == effects
    shop.send("charge", 7, 1, "early_not_applied", headers={"tenant": "acme"}).get(timeout=60)
    assert (shop.count("put_back", 7), shop.count("charge", 7)) == (1, 1)  # what is put back has the same key
    if effects == 2:
        assert shop.record("state", key=f"{2**53 + 1}/42") == shop.record("state", key="acme/7") == ("completed",)
        with pytest.raises(Exception, match=r"headers\.tenant is absent from the message"):
            shop.send("charge", 42).get(timeout=60)


@pytest.mark.parametrize(("task", "effects"), [("old", 2), ("charge", 1), ("unbound", 1)])
def test_a_second_application_of_the_process(opened: Open, task: str, effects: int) -> None:
    """Celery makes it a task of its own from each function; the guard, which stands below, comes with that."""
    shop = opened()
    shop.work(app="tasks:second")
    assert [shop.send(task, 1).get(timeout=60) for _ in range(2)] == [{"charged": 1}] * 2
    assert shop.count("charge", 1) == effects
    assert "second:" in shop.logged()  # in the worker's banner


@pytest.mark.parametrize(("task", "at_most"), [("old", 2), ("charge", 1)])
def test_many_effects_are_a_task_each(opened: Open, rabbitmq: str, task: str, at_most: int) -> None:
    """A roundup dies half-way and begins again with the first one: whoever had theirs gets none, unless all are one task's."""
    shop = opened(rabbitmq, lease=3)
    shop.work()
    shop.till.hooks["sent", "1"] = lambda told: kill_group(told) if shop.count("sent", 1) == 8 else None
    sent = shop.send("roundup", 1, task)
    until(lambda: shop.workers[0].poll() is not None, "the kill")
    shop.work()
    sent.get(timeout=60)
    until(lambda: all(shop.count("charge", f"1.{n}") for n in range(20)), "all of them")
    if task == "charge":
        until(lambda: shop.records("completed") == 20, "the end of the copies")
    counts = [shop.count("charge", f"1.{n}") for n in range(20)]
    assert (min(counts), max(counts)) == (1, at_most)


def test_two_schedulers_of_one_due_run(opened: Open) -> None:
    """Each sends a message of its own. The key names the run, so it is one operation."""
    every_second = {task: {"task": task, "schedule": 1.0, "args": (f"nightly {task}",)} for task in ("old", "charge")}
    shop = opened(schedule=every_second)
    shop.work()
    for _ in range(2):
        shop.beat()
    until(partial(both, shop, 4), "each task four times")
    assert shop.count("charge", "nightly charge") == 1
    assert shop.count("charge", "nightly old") >= 4


def both(shop: Shop, times: int) -> bool:
    return min(shop.count("skipped", "nightly charge"), shop.count("after", "nightly old")) >= times
