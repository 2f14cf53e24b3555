"""The plain guard, called by hand in a job of RQ that real workers run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from redis import Redis
from rq import Queue
from rq.job import Job

from broker import Shop, until, waits

HERE = Path(__file__).parent


def work(shop: Shop) -> None:
    """It ends with the shop's other workers."""
    env = {**os.environ, "TASKS": json.dumps(shop.settings), "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parent / "src")])}
    command = [sys.executable, "-m", "rq.cli", "worker", "-u", shop.settings["broker"], shop.job]
    with open(shop.log, "ab") as log:
        shop.workers.append(subprocess.Popen(command, cwd=HERE, env=env, stdout=log, stderr=log, start_new_session=True))


@pytest.mark.parametrize(("call", "charges"), [("plain", 2), ("charge", 1)])
def test_a_job_that_is_on_the_queue_twice(opened: Callable[..., Shop], redis: str, call: str, charges: int) -> None:
    """What meets the live claim is put back, and finds the effect when it comes again."""
    shop, free = opened(), threading.Event()
    with Redis.from_url(redis) as connection:
        queue = Queue(shop.job, connection=connection)
        for _ in range(2):
            work(shop)
        shop.till.once("before", 7, waits(free))
        first = queue.enqueue(f"rq_jobs.{call}", "7")
        until(lambda: shop.count("before", 7), "the first delivery")
        second = queue.enqueue(f"rq_jobs.{call}", "7")
        status: Callable[[Job], str] = lambda job: str(job.get_status(refresh=True).value)  # noqa: E731
        if charges == 1:
            until(lambda: status(second) == "scheduled", "put back")
            assert shop.count("charge", 7) == 0
        free.set()
        until(lambda: status(first) == "finished", "the first job")
        if charges == 1:
            queue.scheduled_job_registry.remove(second)
            queue.enqueue_job(second)
        until(lambda: status(second) == "finished", "the second job")
        assert shop.count("charge", 7) == charges
