"""Jobs of RQ, with and without the guard, as its workers run them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from rq import Retry

from tasks import SETTINGS, connect, job, look_up, tell
from twiceproof import Delivery, Guard


def plain(order_id: str) -> None:
    for step in ("before", "charge", "after"):
        tell(step, order_id)


guard = Guard(connect, replace(job({**SETTINGS, "key": ["args[0]"]}), queue="rq"), look_up=look_up)


def charge(order_id: str) -> Any:
    delivery = Delivery({"args": [order_id, 1]})
    result = guard.run(delivery, lambda op: plain(op.key))
    if not result.acknowledge:
        return Retry(max=1000, interval=math.ceil(result.retry_after.total_seconds()))
    return result.outcome
