"""Charges an order, made idempotent by Powertools, which keeps its record in Redis."""

import os

import payments
from aws_lambda_powertools.utilities.idempotency import IdempotencyConfig, idempotent_function
from aws_lambda_powertools.utilities.idempotency.persistence.redis import RedisCachePersistenceLayer
from rq import get_current_job


class Context:
    """What Powertools asks Lambda for: how long until this attempt is ended."""

    def get_remaining_time_in_millis(self):
        return get_current_job().timeout * 1000


config = IdempotencyConfig(expires_after_seconds=24 * 60 * 60)
config.register_lambda_context(Context())
layer = RedisCachePersistenceLayer(url=os.environ["RQ_REDIS_URL"], ssl=False)


@idempotent_function(data_keyword_argument="order", config=config, persistence_store=layer)
def charge_once(order, amount_cents, currency):
    payments.charge(order["id"], amount_cents, currency)


def charge(order_id, amount_cents, currency):
    charge_once(order={"id": order_id}, amount_cents=amount_cents, currency=currency)
