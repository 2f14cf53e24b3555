"""Books a charge as a row. A task that comes twice books twice."""

import os

import psycopg
from celery import Celery

app = Celery("billing", broker=os.environ["CELERY_BROKER_URL"])
app.conf.update(task_ignore_result=True, broker_connection_retry_on_startup=True)


@app.task(name="billing.book", acks_late=True)
def book(order_id, amount_cents, currency):
    with psycopg.connect(os.environ["DATABASE_URL"], connect_timeout=5) as connection:
        connection.execute(
            "INSERT INTO charges (order_id, amount_cents, currency) VALUES (%s, %s, %s)", (order_id, amount_cents, currency)
        )
