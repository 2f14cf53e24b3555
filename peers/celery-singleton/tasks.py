"""Charges an order, with a lock of celery-singleton as its README sets it up."""

import os

import payments
from celery import Celery
from celery_singleton import Singleton

app = Celery("billing", broker=os.environ["CELERY_BROKER_URL"])
app.conf.update(task_ignore_result=True, broker_connection_retry_on_startup=True)


# The expiry is a little more than the task takes, as recommended against workers that crash.
@app.task(
    name="billing.charge",
    base=Singleton,
    unique_on=["order_id"],
    lock_expiry=45,
    acks_late=True,
    reject_on_worker_lost=True,
    autoretry_for=(Exception,),
)
def charge(order_id, amount_cents, currency):
    payments.charge(order_id, amount_cents, currency)
