"""The application's own way of putting the job on, by somebody who clicks twice: python enqueue.py ORDER"""

import os
import sys

from redis import Redis
from rq import Queue, Retry
from rq.exceptions import DuplicateJobError

queue = Queue(connection=Redis.from_url(os.environ["RQ_REDIS_URL"]))
order = {"order_id": sys.argv[1], "amount_cents": 1250, "currency": "EUR"}
retry = Retry(max=3, interval=[10, 30, 60])
for _ in range(2):
    try:
        queue.enqueue("jobs.charge", kwargs=order, job_id=f"charge-{sys.argv[1]}", unique=True, retry=retry)
    except DuplicateJobError:
        print("it is enqueued already")
