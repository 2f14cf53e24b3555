"""Keeping a message at the broker: a copy for later, or the message itself when no copy can be sent."""

from __future__ import annotations

import logging
import random
import time
from typing import Any, NoReturn

from celery.exceptions import Retry
from celery.utils.log import get_task_logger

from ..delivery import RELEASED, Result
from . import signals
from .call import Call, group_of, own_headers, queue_of
from .errors import KeptAtBroker, NotActedError, PutBack

# In seconds. Workers hold a task with a countdown unacknowledged: RabbitMQ ends a channel after 30 minutes of
# that, and Redis and SQS hand out a copy after the visibility timeout.
LONGEST = 600.0
DATABASE_PAUSE = 10.0
BROKER_PAUSE = 1.0
SQS_VISIBILITY = 30.0  # of a queue that was made without Celery, where nothing else is said

log = get_task_logger("twiceproof.celery")


def put_back(
    call: Call,
    reason: str,
    delay: float,
    *,
    result: Result | None = None,
    error: BaseException | None = None,
    counted: bool = False,
    level: int = logging.INFO,
) -> NoReturn:
    """Ends this delivery; the copy has the same task id, chain and chord.

    counted: it takes one of the task's own retries, and still expires when surely nothing is out.
    error is what RETRY shows.
    """
    if not call.at_broker:
        raise NotActedError(reason) from error
    request = call.request
    countdown = within(delay, call.task.app.conf.broker_transport_options)
    more: dict[str, Any] = {"headers": own_headers(request), **group_of(request)}
    if not (counted and result and result.outcome == RELEASED):
        more["expires"] = None
    if request.ignore_result:  # Celery 5.2 forgets it
        more["ignore_result"] = True
    # Not by task.retry: it counts, and what it is told about max_retries stays with the task.
    retries, (args, kwargs), queue = request.retries + counted, call.sent, queue_of(call.task.app, request)
    if queue:
        countdown = max(1.0, countdown)  # RabbitMQ's own delay counts in whole seconds
    copy = call.task.signature_from_request(request, args, kwargs, queue, countdown=countdown, retries=retries, **more)
    try:
        copy.apply_async()
    except Exception as failed:
        log.warning("message stays at the broker, no copy could be sent: %s, error %s", reason, failed)
        time.sleep(BROKER_PAUSE)  # it may come back at once
        raise KeptAtBroker(f"{reason}; {failed}", requeue=True) from failed
    log.log(level, "put back for %.1fs: %s", countdown, reason)
    signals.put_back.send(call.task, request=request, result=result, countdown=countdown, reason=reason)
    raise Retry(exc=error or PutBack(reason), when=countdown, sig=copy)


def within(delay: float, transport: dict[str, Any] | None) -> float:
    """With jitter, and well below the visibility timeout, after which the broker would add a copy of its own."""
    transport = transport or {}
    visibility = transport.get("visibility_timeout") or ("predefined_queues" in transport and SQS_VISIBILITY)
    longest = min(LONGEST, float(visibility) / 2) if visibility else LONGEST
    return round(min(longest, delay + random.uniform(0.1, 1 + delay / 10)), 3)
