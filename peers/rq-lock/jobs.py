"""Looks whether the order is charged, and charges it, under a lock of redis-py."""

import os
from uuid import NAMESPACE_OID, uuid5

import payments
from redis import Redis

redis = Redis.from_url(os.environ["RQ_REDIS_URL"])


def charge(order_id, amount_cents, currency):
    reference = str(uuid5(NAMESPACE_OID, order_id))
    with redis.lock(f"charge-{order_id}", timeout=60, blocking_timeout=5):
        if not payments.charged(reference):
            payments.charge(order_id, amount_cents, currency, reference)
