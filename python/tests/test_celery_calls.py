"""Guarded tasks without a broker: how a call is read, and calls that no worker makes."""

from __future__ import annotations

import inspect
import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from celery import Celery, shared_task
from celery.exceptions import Retry
from kombu.utils import json

import twiceproof.celery
from databases import Database
from jobs import a_job, guard
from twiceproof import Guard, KeyRefusedError, NotApplied, Operation, Path, RefusedError
from twiceproof.celery.call import Call, fields_of, message_of, plain
from twiceproof.celery.errors import KeptAtBroker
from twiceproof.celery.job import Guarded
from twiceproof.celery.putback import within

ORDER = uuid.UUID(int=7)


def charge(order: Any, amount: int = 5, *more: Any, note: str = "", **rest: Any) -> Any: ...


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [((1,), {}), ((), {"order": 1}), ((1, 5), {}), ((1,), {"amount": 5, "note": ""}), ((), {"note": "", "order": 1})],
)
def test_the_same_call_has_the_same_fields(args: Any, kwargs: Any) -> None:
    fields = fields_of(inspect.signature(charge), args, kwargs)
    assert fields == {"args": [1, 5], "kwargs": {"order": 1, "amount": 5, "note": ""}}


def test_more_arguments_than_are_named() -> None:
    fields = fields_of(inspect.signature(charge), (1, 2, 3), {"note": "n", "tenant": "t"})
    assert fields == {"args": [1, 2, 3], "kwargs": {"order": 1, "amount": 2, "note": "n", "tenant": "t"}}


def test_what_newer_serializers_make_objects_of() -> None:
    nested = {"id": ORDER, "due": date(2026, 1, 2), "amounts": (Decimal("1.50"),)}
    fields = fields_of(inspect.signature(charge), (nested,), {})
    assert fields["args"][0] == {"id": str(ORDER), "due": "2026-01-02T00:00:00", "amounts": ["1.50"]}


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        (date(2026, 1, 2), "2026-01-02T00:00:00"),
        (datetime(2026, 1, 2, 3, 4, 5, 6), "2026-01-02T03:04:05.000006"),
        (datetime(2026, 1, 2, 3, tzinfo=timezone.utc), "2026-01-02T03:00:00Z"),
        (datetime(2026, 1, 2, 3, tzinfo=timezone(timedelta(hours=1))), "2026-01-02T03:00:00+01:00"),
        (time(3, 4), "03:04:00"),
        (Decimal("1.50"), "1.50"),
        (ORDER, str(ORDER)),
    ],
)
def test_every_version_of_celery_sends_the_same_key(sent: Any, text: str) -> None:
    """Celery 5.2 sends texts, 5.3 and newer objects; this runs on both."""
    assert plain(json.loads(json.dumps(sent))) == plain(sent) == text


@pytest.mark.parametrize(
    ("delay", "visibility", "most"),
    [(60, None, 67), (3600, None, 600), (3600, 3600, 600), (60, 30, 15), (0, 1, 0.5), (0, None, 1)],
)
def test_below_the_visibility_timeout(delay: float, visibility: float | None, most: float) -> None:
    assert 0 < within(delay, {"visibility_timeout": visibility} if visibility else None) <= most


def test_below_the_visibility_timeout_of_a_queue_that_celery_did_not_make() -> None:
    assert within(3600, {"predefined_queues": {"q": {}}}) == 15
    assert within(3600, {"predefined_queues": {"q": {}}, "visibility_timeout": 60}) == 30


def test_what_autoretry_for_every_exception_lets_pass() -> None:
    app = Celery(broker="memory://", set_as_current=False)

    @app.task(bind=True, autoretry_for=(Exception,))
    def kept(self: Any) -> None:
        raise KeptAtBroker("why", requeue=True)

    with pytest.raises(KeptAtBroker):
        kept()


def app_task(function: Any, **options: Any) -> Any:
    return Celery(broker="memory://", set_as_current=False).task(**options)(function)


@pytest.fixture
def made(database: Database) -> Iterator[Guard]:
    job = replace(a_job("hold"), queue="celery", operation=Operation(key=(Path.parse("kwargs.order"),)))
    g = guard(database, job)
    yield g
    g.close()


@pytest.mark.on("sqlite3")
def test_called_without_a_worker(made: Guard) -> None:
    """A plain call, apply() and task_always_eager are guarded, too; where a worker would wait, they raise."""
    app = Celery(broker="memory://", set_as_current=False)
    acted: list[Any] = []

    @app.task
    @twiceproof.celery.job(made.job.type, guard=made)
    def charge(order: Any, fails: bool = False) -> Any:
        acted.append(twiceproof.celery.operation().key)
        if fails:
            raise ValueError("nobody knows")
        return {"id": order}

    assert [charge(1), charge(order="1"), charge.apply((1,)).get()] == [{"id": 1}] * 3
    assert acted == ["1"]
    for wrong in ((), (1, False, 3)):
        with pytest.raises(TypeError):
            charge(*wrong)
    with pytest.raises(ValueError, match="nobody knows"):
        charge(2, fails=True)
    with pytest.raises(twiceproof.celery.NotActedError, match="held"):
        charge(2)
    assert acted == ["1", "2"]
    with pytest.raises(RefusedError, match="no guarded task"):
        twiceproof.celery.operation()


@pytest.mark.on("sqlite3")
def test_headers_without_a_worker(made: Guard, database: Database) -> None:
    """apply() and task_always_eager give them; a plain call has none, and no key."""
    app = Celery(broker="memory://", set_as_current=False)
    app.conf.task_always_eager = True
    tenants = Operation(key=(Path.parse("headers.tenant"), Path.parse("args[0]")))
    g = guard(database, replace(made.job, operation=tenants))

    @app.task(shared=False)
    @twiceproof.celery.job(g.job.type, guard=g)
    def charge(order: Any) -> Any:
        return twiceproof.celery.operation().key

    assert charge.apply((1,), headers={"tenant": ORDER}).get() == f"{ORDER}/1"
    assert charge.apply_async((1,), headers={"tenant": 7}).get() == "7/1"
    with pytest.raises(KeyRefusedError, match=r"headers\.tenant is absent"):
        charge(1)
    g.close()


@pytest.mark.on("sqlite3")
def test_not_applied_from_another_error(made: Guard) -> None:
    acted: list[Any] = []

    @twiceproof.celery.job(made.job.type, guard=made)
    def charge(order: Any) -> None:
        acted.append(order)
        raise NotApplied from Retry(when=1)

    for _ in range(2):
        with pytest.raises(Retry):
            charge(1)
    assert len(acted) == 2


@pytest.mark.on("sqlite3")
def test_a_result_that_is_no_json(made: Guard) -> None:
    @twiceproof.celery.job(made.job.type, guard=made)
    def charge(order: Any) -> object:
        return made

    assert charge(1) is made
    assert charge(1) is None


def test_a_message_that_is_no_json(caplog: pytest.LogCaptureFixture) -> None:
    """As pickle sends it: the task runs, but the record has nothing to put back, and somebody must hear of that."""
    task = app_task(charge, name="pickled.charge", shared=False)
    assert message_of(task, [1], {}) is not None
    assert "no sweep" not in caplog.text
    assert message_of(task, [made], {}) is None
    assert "no sweep can put it back" in caplog.text


@pytest.mark.on("sqlite3")
def test_refused_at_once(made: Guard) -> None:
    with pytest.raises(RefusedError, match=f'of job "{made.job.type}", not of "other"'):
        twiceproof.celery.job("other", guard=made)
    with pytest.raises(RefusedError, match="own row"):
        twiceproof.celery.job(made.job.type, guard=made, transaction=lambda: None)
    sqs = guard_of(made, queue="sqs", operation=Operation(key=(Path.parse("body.order"),)))
    with pytest.raises(RefusedError, match="write queue: celery"):
        twiceproof.celery.job(made.job.type, guard=sqs)


@pytest.mark.on("sqlite3")
def test_a_task_of_another_name_than_the_job_says(made: Guard, caplog: pytest.LogCaptureFixture) -> None:
    app = Celery(broker="memory://", set_as_current=False)
    app.conf.task_acks_late = True
    g = guard_of(made, message="billing.charge")

    def tell(name: str) -> str:
        guarded = Guarded(g, None, None)
        task = app.task(name=name, shared=False)(charge)
        task.push_request(called_directly=False, is_eager=False)
        caplog.clear()
        for _ in range(2):
            guarded.warn(Call(task.run, (), {}, task))
        return caplog.text

    assert tell("billing.charge") == ""
    assert tell("billing.refund").count("the replay would not reach this task") == 1


@pytest.mark.on("sqlite3")
def test_each_task_is_told_once_that_it_is_acknowledged_early(made: Guard, caplog: pytest.LogCaptureFixture) -> None:
    app = Celery(broker="memory://", set_as_current=False)
    guarded = Guarded(made, None, None)
    for name in ("early.charge", "early.charge", "early.refund"):
        task = app.task(name=name, shared=False)(charge)
        task.push_request(called_directly=False, is_eager=False)
        guarded.warn(Call(task.run, (), {}, task))
    told = [line.getMessage().partition(":")[0] for line in caplog.records if "set acks_late=True" in line.getMessage()]
    assert told == ["early.charge", "early.refund"]


@pytest.mark.parametrize("decorate", [shared_task, app_task, partial(app_task, lazy=False), partial(app_task, shared=False)])
@pytest.mark.on("sqlite3")
def test_a_guard_above_the_task_is_refused(made: Guard, decorate: Any) -> None:
    """Every other application of the process makes a task of its own from the function, without the guard."""
    with pytest.raises(RefusedError, match=r"write the guard below @app\.task or @shared_task"):
        twiceproof.celery.job(made.job.type, guard=made)(decorate(charge, name="shared.charge"))


@pytest.mark.parametrize("decorate", [shared_task, app_task])
@pytest.mark.on("sqlite3")
def test_a_guard_below_the_task_is_every_applications(made: Guard, decorate: Any) -> None:
    acted: list[Any] = []

    def refund(order: Any) -> None:
        acted.append(order)

    task = decorate(twiceproof.celery.job(made.job.type, guard=made)(refund), name=f"refund.{decorate.__name__}")
    others = [Celery(broker="memory://", set_as_current=False).tasks[task.name] for _ in range(2)]
    assert len({id(t) for t in (task._get_current_object(), *others)}) == 3
    for other in others:
        other(1)
    assert acted == [1]


@pytest.mark.on("sqlite3")
def test_two_functions_of_one_job(made: Guard) -> None:
    app = Celery(broker="memory://", set_as_current=False)

    @app.task(name="two.charge", shared=False)
    @twiceproof.celery.job(made.job.type, guard=made)
    def charge(order: Any) -> Any: ...

    def refund(order: Any) -> Any: ...

    with pytest.raises(RefusedError, match=r"guards .*charge: give .*refund a job of its own"):
        twiceproof.celery.job(made.job.type, guard=made)(refund)
    app.task(name="two.renamed", shared=False)(twiceproof.celery.job(made.job.type, guard=made)(charge.run.__wrapped__))
    one_operation = twiceproof.celery.job(made.job.type, guard=guard_of(made))
    assert one_operation(charge.run.__wrapped__)
    assert one_operation(refund)


def guard_of(g: Guard, **changes: Any) -> Guard:
    return Guard(lambda: None, replace(g.job, longest_run=timedelta(seconds=1), **changes))
