"""The decorator of a task."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

from celery import Task, current_task
from celery.exceptions import SoftTimeLimitExceeded
from celery.local import Proxy

from ..delivery import Delivery, Result
from ..driver import Connection
from ..errors import BodyError, NotStoredError, RefusedError, TwiceproofError
from ..failure import lasting
from ..guard import Guard
from ..operation import Operation
from ..transaction import OwnTransaction
from .call import Call
from .outcome import Body, end, failed
from .putback import DATABASE_PAUSE, log, put_back
from .running import running


def job(
    job_type: str,
    *,
    guard: Guard,
    application: Callable[[], Connection] | None = None,
    transaction: Callable[[], OwnTransaction | Connection] | None = None,
) -> Callable[[Any], Any]:
    """Guards a task's function: stands below @app.task or @shared_task.

    application gives the connection or session that must have no open transaction when an outside
    effect is made. transaction gives, for a row of one's own, the connection or transaction that
    the row is written in.
    """
    made = Guarded(guard, application, transaction)
    made.check(job_type)
    return made.wrap


_first: WeakValueDictionary[Guard, Guarded] = WeakValueDictionary()


class Guarded:
    """A guard and what it needs for a task."""

    def __init__(self, guard: Guard, application: Any, transaction: Any) -> None:
        self.guard = guard
        self.application = application
        self.transaction = transaction
        self.function = ""  # the first one
        self.warned: set[str] = set()  # each task once

    def check(self, job_type: str) -> None:
        j = self.guard.job
        if j.type != job_type:
            raise RefusedError(f'the guard is of job "{j.type}", not of "{job_type}"')
        if j.queue != "celery":
            raise RefusedError(f"job {j.type}: its queue is {j.queue}; write queue: celery")
        if (self.transaction is not None) != (j.effect.kind == "own_row"):
            raise RefusedError(f"job {j.type}: an own row, and nothing else, takes transaction")

    def claim(self, function: Callable[..., Any]) -> None:
        """A second function would be skipped where the first has acted for the same key: nobody means that.

        One decorator above several functions says that they are one operation.
        """
        name = f"{function.__module__}.{function.__qualname__}"
        self.function = self.function or name
        first = _first.setdefault(self.guard, self)
        if first is not self and first.function != name:
            raise RefusedError(f'job "{self.guard.job.type}" guards {first.function}: give {name} a job of its own')

    def wrap(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if isinstance(function, (Proxy, Task)):
            raise RefusedError(
                f'job "{self.guard.job.type}": Celery makes a task anew for every application in the process, '
                "where a guard above it is missing; write the guard below @app.task or @shared_task"
            )
        self.claim(function)

        @functools.wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            return self.run(Call(function, args, kwargs, task_of(guarded, args)))

        guarded.__signature__ = inspect.signature(function)  # type: ignore[attr-defined] # Celery checks calls by it
        return guarded

    def run(self, call: Call) -> Any:
        """A soft time limit may strike at any line; Celery would acknowledge the message then."""
        body = Body()
        try:
            return self.perform(call, body)
        except SoftTimeLimitExceeded as error:
            if error is body.error:
                raise
            failed(call, body, None, error)

    def perform(self, call: Call, body: Body) -> Any:
        self.warn(call)
        call = call.kept()

        def act(op: Operation) -> object:
            body.entered = True
            with running(op):
                return body.returns(op, call.function(*call.args, **call.kwargs))

        try:
            result = self.deliver(call.delivery(), act)
        except BodyError as error:
            failed(call, body, None, error)
        except (NotStoredError, RefusedError) as error:
            level = logging.ERROR if lasting(error) else logging.WARNING
            put_back(call, f"nothing could be stored: {error}", DATABASE_PAUSE, error=error, level=level)
        except TwiceproofError:
            raise
        except Exception as error:  # from outside, such as a soft time limit, while the guard waited
            failed(call, body, None, error)
        return end(call, result, body)

    def deliver(self, delivery: Delivery, act: Callable[[Operation], object]) -> Result:
        if self.transaction is None:
            application = self.application and ask(self.application)
            return self.guard.run(delivery, act, application=application)
        target = ask(self.transaction)
        run = self.guard.run_in if isinstance(target, OwnTransaction) else self.guard.run_tx
        return run(target, delivery, act)

    def warn(self, call: Call) -> None:
        if not call.at_broker or call.task.name in self.warned:
            return
        name, j = call.task.name, self.guard.job
        self.warned.add(name)
        if not call.task.acks_late:
            log.warning("%s: acknowledged before it runs, so a killed worker loses the message: set acks_late=True", name)
        if j.message not in ("", name):
            log.warning("the message of job %s is %s, not %s: the replay would not reach this task", j.type, j.message, name)


def ask(give: Callable[[], Any]) -> Any:
    """Nothing was claimed yet, so whatever it raises keeps the message."""
    try:
        return give()
    except TwiceproofError:
        raise
    except Exception as error:
        raise NotStoredError(f"connection: {error}") from error


def task_of(guarded: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """The task that runs the function now; None when it is called as a plain function."""
    if args and isinstance(args[0], Task):
        return args[0]
    task = current_task._get_current_object()
    run = getattr(task, "run", None)
    while run is not None and getattr(run, "__func__", run) is not guarded:
        run = getattr(run, "__wrapped__", None)  # autoretry_for's, pydantic's, a decorator of the application's own
    return task if run is not None else None
