"""What a task does about the guard's result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from celery.exceptions import Ignore, Reject, Retry
from kombu.utils import json

from ..delivery import COMPLETED, HELD, LIVE, LOST, MISMATCH, RELEASED, Result
from ..errors import NotApplied, cause_of
from ..operation import Operation
from . import signals
from .call import Call
from .errors import MismatchError, NotActedError
from .putback import log, put_back


@dataclass
class Body:
    """What the body did in this delivery."""

    entered: bool = False
    returned: bool = False
    value: Any = None
    error: BaseException | None = None  # that the task ends in

    def returns(self, op: Operation, value: Any) -> object:
        self.returned, self.value = True, value
        if op.result is None:
            op.result = encode(value)
        return value


def encode(value: Any) -> bytes | None:
    """It never fails the completion: the effect is there."""
    try:
        return json.dumps(value).encode()  # type: ignore[no-any-return]
    except Exception as error:
        log.warning("result not stored, a repeat returns None: %s", error)
        return None


def decode(value: bytes | None) -> Any:
    try:
        return None if value is None else json.loads(value)
    except ValueError:
        log.warning("stored result is no JSON, None is returned")
        return None


def end(call: Call, result: Result, body: Body) -> Any:
    """The task's value, or what ends it otherwise."""
    if result.taken_over and call.at_broker:
        log.info("taken over from an attempt in doubt: key %s, now %s", result.key, result.outcome)
        signals.taken_over.send(call.task, request=call.request, result=result)
    if body.returned and result.outcome in (COMPLETED, LOST):
        return body.value
    if body.entered and result.error is not None and result.outcome != HELD:
        failed(call, body, result, result.error)
    if result.outcome == COMPLETED:  # before: the stored result, so that a chain goes on
        if call.at_broker:
            signals.skipped.send(call.task, request=call.request, result=result)
        return decode(result.value)
    return not_acted(call, result)


def not_acted(call: Call, result: Result) -> NoReturn:
    if result.outcome == HELD:
        hold(call, result)
    if result.outcome == MISMATCH:
        raise MismatchError(f"same key, different content: key {result.key}")
    why = "another worker has the claim" if result.outcome == LIVE else "the claim ended without an effect"
    put_back(call, f"{why}: key {result.key}", result.retry_after.total_seconds(), result=result, error=result.error)


def hold(call: Call, result: Result) -> NoReturn:
    """Neither a success nor a failure: a chain or chord stops here, and no retry is spent on it."""
    log.error("held for a person: key %s", result.key)
    if not call.at_broker:
        raise NotActedError(f"held for a person: key {result.key}") from result.error
    signals.held.send(call.task, request=call.request, result=result)
    try:
        if not call.task.ignore_result:
            call.task.update_state(state="HELD", meta={"key": result.key})
    except Exception as error:
        log.warning("state HELD not stored: key %s, error %s", result.key, error)
    raise Ignore(f"held for a person: key {result.key}")


def failed(call: Call, body: Body, result: Result | None, error: BaseException) -> NoReturn:
    """The body raised. Where there is no result, it left a transaction that cannot be committed, or a time limit struck.

    Celery would acknowledge that; a message that is in doubt comes again while retries are left.
    What the task retries by itself is left to it: its copy is the redelivery.
    """
    body.error = cause = error.__cause__ if isinstance(error, NotApplied) and error.__cause__ else error
    if not call.at_broker or isinstance(cause, (Retry, Ignore, Reject)) or retries_itself(call.task, cause):
        raise cause
    most = call.task.max_retries
    reason = f"{result.outcome}: key {result.key}" if result else cause_of(cause)
    if most is not None and call.request.retries >= most:
        released = result and result.outcome == RELEASED  # an own row's record went with it
        log.error("no retry is left, %s: %s", "nothing was done" if released else "the record keeps what it knows", reason)
        raise cause
    wait = result.retry_after.total_seconds() if result else 0
    delay = max(wait, float(call.task.default_retry_delay or 0))
    put_back(call, reason, delay, result=result, error=cause, counted=True)


def retries_itself(task: Any, error: BaseException) -> bool:
    """By autoretry_for."""
    wanted, unwanted = (tuple(getattr(task, name, None) or ()) for name in ("autoretry_for", "dont_autoretry_for"))
    return isinstance(error, wanted) and not isinstance(error, unwanted)
