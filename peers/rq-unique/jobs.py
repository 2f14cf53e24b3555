"""Charges an order. That it is enqueued once is RQ's to see to: see enqueue.py."""

import payments


def charge(order_id, amount_cents, currency):
    payments.charge(order_id, amount_cents, currency)
