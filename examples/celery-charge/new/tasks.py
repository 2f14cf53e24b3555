"""Charges an order once, however often the task comes."""

import os

import twiceproof
import twiceproof.celery
from celery import Celery

import payments
from database import connect

app = Celery("billing", broker=os.environ["CELERY_BROKER_URL"])
app.conf.update(task_ignore_result=True, broker_connection_retry_on_startup=True, worker_prefetch_multiplier=1)

job = twiceproof.load(os.environ.get("TWICEPROOF_FILE", "twiceproof.yaml")).job("charge.create")
guard = twiceproof.Guard(connect, job, look_up=lambda op: payments.charged(op.reference))

@app.task(name="billing.charge", acks_late=True, reject_on_worker_lost=True)
@twiceproof.celery.job("charge.create", guard=guard)
def charge(order_id, amount_cents, currency):
    op = twiceproof.celery.operation()
    op.check()  # not after the lease
    try:
        payments.charge(order_id, amount_cents, currency, op.reference, timeout=min(30, op.remaining))
    except ConnectionRefusedError as error:
        raise twiceproof.NotApplied from error
