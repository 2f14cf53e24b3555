"""Charges an order once by a table of its own, under a lock of the order's."""

import hashlib
import os

import psycopg
from celery import Celery

import payments

app = Celery("billing", broker=os.environ["CELERY_BROKER_URL"])
app.conf.update(task_ignore_result=True, broker_connection_retry_on_startup=True, worker_prefetch_multiplier=1)


def claim(transaction, order_id):
    """Whether this delivery is the first of its order. While another worker has the order in an open transaction, it waits."""
    transaction.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (order_id,))
    if transaction.execute("SELECT 1 FROM charged_orders WHERE order_id = %s", (order_id,)).fetchone():
        return False
    transaction.execute("INSERT INTO charged_orders VALUES (%s)", (order_id,))
    return True


@app.task(name="billing.charge", bind=True, acks_late=True, reject_on_worker_lost=True, max_retries=None)
def charge(self, order_id, amount_cents, currency):
    try:
        with psycopg.connect(os.environ["DATABASE_URL"]) as transaction:
            # A worker that died after its charge has left no row, so the service is asked.
            reference = hashlib.sha256(order_id.encode()).hexdigest()
            if claim(transaction, order_id) and not payments.charged(reference):
                payments.charge(order_id, amount_cents, currency, reference)
    except Exception as error:
        raise self.retry(exc=error, countdown=30) from error
