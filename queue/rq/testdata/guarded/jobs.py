"""Charges an order once, however often the job comes: the plain guard, called within a job of RQ."""

import math
import os

import payments
from database import connect
from rq import Retry

import twiceproof

job = twiceproof.load(os.environ["TWICEPROOF_FILE"]).job("charge.create")
guard = twiceproof.Guard(connect, job, look_up=lambda op: payments.charged(op.reference))


def charge(order_id, amount_cents, currency):
    def act(op):
        op.check()  # not after the lease
        try:
            payments.charge(order_id, amount_cents, currency, op.reference, timeout=min(30, op.remaining))
        except ConnectionRefusedError as error:
            raise twiceproof.NotApplied from error

    call = {"args": [], "kwargs": {"order_id": order_id, "amount_cents": amount_cents, "currency": currency}}
    result = guard.run(twiceproof.Delivery(call), act)
    if result.acknowledge:
        return None
    return Retry(max=1000, interval=max(1, math.ceil(result.retry_after.total_seconds())))
