"""Charges an order, made idempotent by Powertools, which keeps its record in Redis."""

import os

import payments
from aws_lambda_powertools.utilities.idempotency import IdempotencyConfig, idempotent_function
from aws_lambda_powertools.utilities.idempotency.persistence.redis import RedisCachePersistenceLayer
from celery import Celery

BROKER, TIME_LIMIT = os.environ["CELERY_BROKER_URL"], 20
app = Celery("billing", broker=BROKER)
app.conf.update(task_ignore_result=True, broker_connection_retry_on_startup=True)


class Context:
    """What Powertools asks Lambda for: how long until this attempt is ended."""

    def get_remaining_time_in_millis(self):
        return TIME_LIMIT * 1000


config = IdempotencyConfig(expires_after_seconds=24 * 60 * 60)
config.register_lambda_context(Context())
layer = RedisCachePersistenceLayer(url=BROKER, ssl=False)


@idempotent_function(data_keyword_argument="order", config=config, persistence_store=layer)
def charge_once(order, amount_cents, currency):
    payments.charge(order["id"], amount_cents, currency)


@app.task(
    name="billing.charge", time_limit=TIME_LIMIT, acks_late=True, reject_on_worker_lost=True,
    autoretry_for=(Exception,), default_retry_delay=2, max_retries=None,
)  # fmt: skip
def charge(order_id, amount_cents, currency):
    charge_once(order={"id": order_id}, amount_cents=amount_cents, currency=currency)
