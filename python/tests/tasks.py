"""The application that the workers run: tasks with and without the guard. Its settings come in the environment."""

from __future__ import annotations

import functools
import json
import os
import time
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any

from celery import Celery
from celery.exceptions import Ignore, Reject
from kombu.entity import Exchange, Queue

import twiceproof.celery
from twiceproof import Effect, Guard, Job, NotApplied, Operation, Path, StaleClaim
from twiceproof.driver import driver_of
from twiceproof.statements import TABLE

SETTINGS = json.loads(os.environ.get("TASKS", "{}"))


def application(settings: Mapping[str, Any], name: str = "tasks", **more: Any) -> Celery:
    app = Celery(name, broker=settings.get("broker"), backend=settings.get("backend"), **more)
    app.conf.update(
        broker_write_url=settings.get("write"),
        broker_transport_options=settings.get("transport", {}),
        broker_connection_retry_on_startup=True,
        task_default_queue=settings.get("queue", "celery"),
        task_acks_late=settings.get("acks_late", True),
        task_reject_on_worker_lost=settings.get("reject_on_worker_lost", True),
        worker_prefetch_multiplier=settings.get("prefetch", 1),
        result_extended=True,
    )
    app.conf.beat_schedule = settings.get("schedule", {})
    if settings.get("delayed"):  # by RabbitMQ itself, as where a queue is a quorum queue
        exchange, names = Exchange(settings["queue"], "topic"), (settings["queue"], f"{settings['queue']}.other")
        app.conf.task_default_queue_type = "quorum"
        app.conf.task_queues = [Queue(n, exchange, routing_key=n, queue_arguments={"x-queue-type": "quorum"}) for n in names]
    return app


def job(settings: Mapping[str, Any], kind: str = "outside") -> Job:
    policy = settings.get("policy", "lookup")
    key = tuple(map(Path.parse, settings.get("key", ["kwargs.order_id"])))
    stale = StaleClaim(policy, settle=timedelta(seconds=1)) if policy == "lookup" else StaleClaim(policy)
    return Job(
        f"{settings.get('job', 'tests')}.{kind}",
        queue="celery",
        operation=Operation(key=key, fingerprint=(Path.parse("args[1]"),)),
        effect=Effect("own_row" if kind == "own_row" else "outside"),
        longest_run=timedelta(milliseconds=500),
        lease=timedelta(seconds=settings.get("lease", 60)),
        stale_claim=StaleClaim() if kind == "own_row" else stale,
    )


def connect() -> Any:
    if SETTINGS.get("away"):
        raise ConnectionRefusedError("the database is away")
    if SETTINGS.get("driver") == "pymysql":
        import pymysql

        return pymysql.connect(
            host="127.0.0.1", port=SETTINGS["database"], user="root", database="tests", read_timeout=9, write_timeout=9
        )
    if SETTINGS.get("driver") == "sqlite3":
        import sqlite3

        return sqlite3.connect(SETTINGS["database"], timeout=5)
    import psycopg

    address = f"postgresql://postgres@127.0.0.1:{SETTINGS['database']}/tests"
    name = f"{SETTINGS['job']}/{os.getpid()}"
    return psycopg.connect(address, connect_timeout=5, application_name=name, options="-c statement_timeout=9s")


def tell(step: str, key: object, **more: Any) -> Any:
    """To the till in the test's process, which counts, and kills where the test wants it."""
    body = json.dumps({"step": step, "key": str(key), "pid": os.getpid(), **more}).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{SETTINGS['till']}/", body)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


def act(task: Any, order_id: object, mode: str) -> object:
    tell("before", order_id)
    if mode.startswith("early") and tell("try", order_id)["count"] == 1:
        end(task, mode[len("early_") :])
    tell("charge", order_id)
    if mode.startswith("late") and tell("try", order_id)["count"] == 1:
        end(task, mode[len("late_") :])
    tell("after", order_id)
    return {"charged": order_id}


def end(task: Any, how: str) -> None:
    """How a body ends otherwise than by its return."""
    countdown = SETTINGS.get("countdown", 0.1)
    if how == "retry":
        raise task.retry(countdown=countdown)
    if how == "not_applied_retry":
        raise NotApplied from task.retry(countdown=countdown, throw=False)
    if how == "not_applied":
        raise NotApplied("the service cannot be reached")
    if how == "sleep":
        time.sleep(60)
    if how == "swallow":  # an error of the database, after which its transaction takes nothing
        with suppress(Exception):
            books().execute("SELECT 1 / 0")
        return
    kinds = {"ignore": Ignore(), "reject": Reject("again", requeue=True), "drop": Reject("never again"), "exit": SystemExit(1)}
    raise kinds.get(how, KeyError("lost") if how == "key" else ValueError("nobody knows"))


def look_up(op: Any) -> bool:
    return bool(tell("look", op.key)["charges"])


app = application(SETTINGS)
guard = Guard(connect, job(SETTINGS), look_up=look_up, table=SETTINGS.get("table", TABLE))
guarded = twiceproof.celery.job(job(SETTINGS).type, guard=guard)
if SETTINGS.get("blind_to_forks"):
    kept = guard.own._free()
    guard.own._free = lambda: kept  # type: ignore[method-assign]
if SETTINGS.get("before_fork"):
    guard.records.read("nothing")
options: dict[str, Any] = {"bind": True, "default_retry_delay": 0.2}


@app.task(name="old", **options)
def old(self: Any, order_id: object, amount: int = 1, mode: str = "ok") -> object:
    return act(self, order_id, mode)


@app.task(name="charge", **options)
@guarded
def charge(self: Any, order_id: object, amount: int = 1, mode: str = "ok") -> object:
    return act(self, order_id, mode)


@app.task(name="unbound")
@guarded
def unbound(order_id: object, amount: int = 1, mode: str = "ok") -> object:
    return act(None, order_id, mode)


second = application(SETTINGS, "second", set_as_current=False)  # Celery makes it tasks of its own from each function


def timed(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


@app.task(name="wrapped", default_retry_delay=0.2)
@timed
@guarded
def wrapped(order_id: object, amount: int = 1, mode: str = "ok") -> object:
    return act(None, order_id, mode)


@app.task(name="changes", **options)
@guarded
def changes(self: Any, order_id: object, amount: int, mode: str, cart: list[str]) -> object:
    cart.append("shipping")
    tell("cart", order_id, cart=cart)
    return act(self, order_id, mode)


@app.task(name="soft", soft_time_limit=2, **options)
@guarded
def soft(self: Any, order_id: object, amount: int = 1, mode: str = "ok") -> object:
    return act(self, order_id, mode)


@app.task(name="hard", time_limit=2, **options)
@guarded
def hard(self: Any, order_id: object, amount: int = 1, mode: str = "ok") -> object:
    return act(self, order_id, mode)


@app.task(name="auto", autoretry_for=(Exception,), retry_backoff=False, retry_kwargs={"countdown": 0.1}, **options)
@guarded
def auto(self: Any, order_id: object, amount: int = 1, mode: str = "ok") -> object:
    return act(self, order_id, mode)


@app.task(name="roundup", **options)
def roundup(self: Any, order_id: object, task: str) -> None:
    """Many effects: all of them in this task, or each in a guarded one of its own."""
    for n in range(20):
        if task == "old":
            act(self, f"{order_id}.{n}", "ok")
        else:
            app.send_task(task, (f"{order_id}.{n}",))
        tell("sent", order_id)


@app.task(name="following")
def following(before: object, order_id: object) -> object:
    tell("following", order_id, before=before)
    return before


_books: dict[int, Any] = {}


def books() -> Any:
    """This process's own connection."""
    if os.getpid() not in _books:
        _books[os.getpid()] = connect()
    return _books[os.getpid()]


row_guard = Guard(connect, job(SETTINGS, "own_row"), table=SETTINGS.get("table", TABLE))


@app.task(name="row", **options)
@twiceproof.celery.job(job(SETTINGS, "own_row").type, guard=row_guard, transaction=books)
def row(self: Any, order_id: object, amount: int = 1, mode: str = "ok") -> object:
    driver_of(books()).execute(books(), f"INSERT INTO effects (job, item) VALUES ('{SETTINGS['job']}', '{order_id}')")
    return act(self, order_id, mode)


@app.task(name="beside", **options)
@twiceproof.celery.job(
    job(SETTINGS, "beside").type, guard=Guard(connect, job(SETTINGS, "beside"), look_up=look_up), application=books
)
def beside(self: Any, order_id: object, amount: int = 1, mode: str = "ok") -> object:
    return act(self, order_id, mode)


@app.task(name="on_books")
def on_books(sql: str) -> None:
    books().execute(sql)


def says(name: str) -> Any:
    def receive(sender: Any, request: Any, **_: Any) -> None:
        group = request.properties.get("MessageGroupId")
        key = request.args[0] if request.args else request.kwargs["order_id"]
        headers = [getattr(request, "tenant", None), request.ignore_result]
        tell(name, key, group=group, retries=request.retries, headers=headers)

    return receive


RECEIVERS = {name: says(name) for name in ("skipped", "held", "put_back", "taken_over")}
for _name, _receiver in RECEIVERS.items():
    getattr(twiceproof.celery, _name).connect(_receiver)
