"""The same in Django's transaction.atomic()."""

import os
from urllib.parse import unquote, urlsplit

import django
from django.conf import settings
from django.db import models

address = urlsplit(os.environ["DATABASE_URL"])
settings.configure(
    USE_TZ=True,
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": address.path[1:],
            "USER": unquote(address.username or ""),
            "PASSWORD": unquote(address.password or ""),
            "HOST": address.hostname,
            "PORT": address.port,
            "OPTIONS": {"connect_timeout": 5, "options": "-c statement_timeout=5s"},
        }
    },
)
django.setup()

import twiceproof.celery  # noqa: E402
from twiceproof.django import Atomic  # noqa: E402

from guarding import app, guard  # noqa: E402


class Charge(models.Model):
    id = models.BigAutoField(primary_key=True)
    order_id = models.TextField()
    amount_cents = models.BigIntegerField()
    currency = models.TextField()

    class Meta:
        app_label = "billing"
        db_table = "charges"


@app.task(name="billing.book", acks_late=True, reject_on_worker_lost=True)
@twiceproof.celery.job("charge.book", guard=guard, transaction=lambda: Atomic(guard))
def book(order_id, amount_cents, currency):
    Charge.objects.create(order_id=order_id, amount_cents=amount_cents, currency=currency)
