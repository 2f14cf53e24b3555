"""The application's own way of putting the job on: python enqueue.py ORDER"""

import os
import sys

from redis import Redis
from rq import Queue, Retry

queue = Queue(connection=Redis.from_url(os.environ["RQ_REDIS_URL"]))
order = {"order_id": sys.argv[1], "amount_cents": 1250, "currency": "EUR"}
queue.enqueue("jobs.charge", kwargs=order, retry=Retry(max=3, interval=[10, 30, 60]))
