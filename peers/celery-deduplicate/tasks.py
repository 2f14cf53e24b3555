"""Charges an order. Celery itself is to leave out a task that comes again and has succeeded before."""

import os

import payments
from celery import Celery

BROKER = os.environ["CELERY_BROKER_URL"]
app = Celery("billing", broker=BROKER, backend=BROKER)
app.conf.update(worker_deduplicate_successful_tasks=True, broker_connection_retry_on_startup=True)


@app.task(name="billing.charge", acks_late=True, reject_on_worker_lost=True, autoretry_for=(Exception,))
def charge(order_id, amount_cents, currency):
    payments.charge(order_id, amount_cents, currency)
