"""Charges an order. A task that comes twice charges twice."""

import os

from celery import Celery

import payments

app = Celery("billing", broker=os.environ["CELERY_BROKER_URL"])
app.conf.update(task_ignore_result=True, broker_connection_retry_on_startup=True)


@app.task(name="billing.charge")
def charge(order_id, amount_cents, currency):
    payments.charge(order_id, amount_cents, currency)
