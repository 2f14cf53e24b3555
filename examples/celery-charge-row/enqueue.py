"""The application's own way of putting the task on: python enqueue.py ORDER"""

import os
import sys

from celery import Celery

Celery(broker=os.environ["CELERY_BROKER_URL"]).send_task("billing.book", (sys.argv[1], 1250, "EUR"), ignore_result=True)
