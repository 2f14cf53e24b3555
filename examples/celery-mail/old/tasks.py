"""Mails a receipt. A task that comes twice mails twice."""

import os

from celery import Celery

import mail

app = Celery("shop", broker=os.environ["CELERY_BROKER_URL"])
app.conf.update(task_ignore_result=True, broker_connection_retry_on_startup=True)


@app.task(name="shop.receipt", acks_late=True)
def receipt(order_id, to):
    mail.send(order_id, to)
