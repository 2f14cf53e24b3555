"""The operation that the task's body is performing now."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ..errors import RefusedError
from ..operation import Operation

_now: ContextVar[Operation] = ContextVar("twiceproof_operation")


def operation() -> Operation:
    """For the body of a guarded task: its key, its reference, and until when to act."""
    try:
        return _now.get()
    except LookupError:
        raise RefusedError("no guarded task is running here") from None


@contextmanager
def running(op: Operation) -> Iterator[None]:
    """Threads and greenlets each have their own."""
    token = _now.set(op)
    try:
        yield
    finally:
        _now.reset(token)
