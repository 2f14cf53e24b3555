"""Jobs and deliveries for the tests of one guard."""

from __future__ import annotations

import itertools
from datetime import timedelta
from typing import Any

from databases import Database
from twiceproof import Delivery, Effect, Guard, Job, Operation, Path, StaleClaim

_numbers = itertools.count()


def a_job(policy: str = "hold", *, own_row: bool = False, lease: float = 60, **more: Any) -> Job:
    stale = StaleClaim() if own_row else StaleClaim(policy, **more)
    return Job(
        f"test.{next(_numbers)}",
        queue="sqs",
        operation=Operation(key=(Path.parse("body.order"),)),
        effect=Effect("own_row" if own_row else "outside"),
        longest_run=timedelta(milliseconds=500),
        lease=timedelta(seconds=lease),
        stale_claim=stale,
    )


def order(key: object = 1) -> Delivery:
    return Delivery({"body": {"order": key}}, body=key, message=b"{}")


def guard(database: Database, job: Job, **more: Any) -> Guard:
    return Guard(database.connect, job, **more)


def record(database: Database, job: Job, *columns: str) -> Any:
    rows = database.execute(f"SELECT {', '.join(columns)} FROM idempotency_records WHERE job_type = '{job.type}'")
    assert len(rows) == 1, rows
    return tuple(rows[0])
