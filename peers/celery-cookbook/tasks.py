"""Charges an order under the lock of Celery's task cookbook, in the cache of Django."""

import os
import time
from contextlib import contextmanager

import payments
from celery import Celery
from celery.utils.log import get_task_logger
from django.conf import settings
from django.core.cache import cache

BROKER = os.environ["CELERY_BROKER_URL"]
settings.configure(CACHES={"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": BROKER}})
LOCK_EXPIRE = 60 * 10
logger = get_task_logger(__name__)
app = Celery("billing", broker=BROKER)
app.conf.update(task_ignore_result=True, broker_connection_retry_on_startup=True)


@contextmanager
def lock(lock_id, owner):
    timeout_at = time.monotonic() + LOCK_EXPIRE - 3
    acquired = cache.add(lock_id, owner, LOCK_EXPIRE)
    try:
        yield acquired
    finally:
        if time.monotonic() < timeout_at and acquired:
            cache.delete(lock_id)


@app.task(name="billing.charge", bind=True, acks_late=True, reject_on_worker_lost=True, autoretry_for=(Exception,))
def charge(self, order_id, amount_cents, currency):
    with lock(f"{self.name}-lock-{order_id!r}", self.app.oid) as acquired:
        if acquired:
            payments.charge(order_id, amount_cents, currency)
        else:
            logger.debug("%s is being charged by another worker", order_id)
