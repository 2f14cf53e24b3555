"""Charges an order, with a lock of celery-once as its README sets it up."""

import os

import payments
from celery import Celery
from celery_once import QueueOnce

BROKER = os.environ["CELERY_BROKER_URL"]
app = Celery("billing", broker=BROKER)
app.conf.update(task_ignore_result=True, broker_connection_retry_on_startup=True)
app.conf.ONCE = {"backend": "celery_once.backends.Redis", "settings": {"url": BROKER, "default_timeout": 60 * 60}}


@app.task(
    name="billing.charge",
    base=QueueOnce,
    once={"graceful": True, "keys": ["order_id"]},
    acks_late=True,
    reject_on_worker_lost=True,
    autoretry_for=(Exception,),
)
def charge(order_id, amount_cents, currency):
    payments.charge(order_id, amount_cents, currency)
