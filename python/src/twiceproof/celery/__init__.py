"""Celery tasks behind the guard: a repeat returns the stored result, and what must stay is kept at the broker.

A delivery that meets a live claim is put back as a copy with the same task id, which takes nothing
from the task's own retries and does not expire. Nobody learns "not applied" from an exception of
Celery, such as Retry: the policy follows unless the body raises NotApplied from it.
"""

from __future__ import annotations

from .call import push
from .errors import CallError, KeptAtBroker, MismatchError, NotActedError, PutBack
from .job import job
from .running import operation
from .signals import held, put_back, skipped, taken_over

__all__ = [
    "CallError", "KeptAtBroker", "MismatchError", "NotActedError", "PutBack", "held", "job", "operation", "push",
    "put_back", "skipped", "taken_over",
]  # fmt: skip
