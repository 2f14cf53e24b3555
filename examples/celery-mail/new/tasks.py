"""The same mail behind a guard."""

import os
import sqlite3

import twiceproof
import twiceproof.celery
from celery import Celery

import mail

app = Celery("shop", broker=os.environ["CELERY_BROKER_URL"])
app.conf.update(task_ignore_result=True, broker_connection_retry_on_startup=True, worker_prefetch_multiplier=1)

job = twiceproof.load(os.environ.get("TWICEPROOF_FILE", "twiceproof.yaml")).job("receipt.mail")
guard = twiceproof.Guard(lambda: sqlite3.connect(os.environ["DATABASE_URL"].removeprefix("sqlite://"), timeout=5), job)


@app.task(name="shop.receipt", acks_late=True, reject_on_worker_lost=True)
@twiceproof.celery.job("receipt.mail", guard=guard)
def receipt(order_id, to):
    twiceproof.celery.operation().check()  # not after the lease
    try:
        mail.send(order_id, to)
    except ConnectionRefusedError as error:  # nobody was there to take the mail
        raise twiceproof.NotApplied from error
