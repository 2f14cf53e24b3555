"""What the three ways to write the row have in common."""

import os

import psycopg
import twiceproof
from celery import Celery

app = Celery("billing", broker=os.environ["CELERY_BROKER_URL"])
app.conf.update(task_ignore_result=True, broker_connection_retry_on_startup=True, worker_prefetch_multiplier=1)


def connect():
    """A connection that never waits without end."""
    return psycopg.connect(
        os.environ["DATABASE_URL"], connect_timeout=5, tcp_user_timeout=5000, options="-c statement_timeout=5s"
    )


guard = twiceproof.Guard(connect, twiceproof.load(os.environ.get("TWICEPROOF_FILE", "twiceproof.yaml")).job("charge.book"))
