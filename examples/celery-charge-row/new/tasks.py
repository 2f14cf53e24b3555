"""Claim, row and completion in one transaction, on a bare connection of this process."""

import twiceproof.celery

from guarding import app, connect, guard

_connections = []


def connection():
    """Opened after the fork, and again when it was lost."""
    if not _connections or _connections[0].closed:
        _connections[:] = [connect()]
    return _connections[0]


@app.task(name="billing.book", acks_late=True, reject_on_worker_lost=True)
@twiceproof.celery.job("charge.book", guard=guard, transaction=connection)
def book(order_id, amount_cents, currency):
    connection().execute(
        "INSERT INTO charges (order_id, amount_cents, currency) VALUES (%s, %s, %s)", (order_id, amount_cents, currency)
    )
