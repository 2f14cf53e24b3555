"""The payment service, by its HTTP interface."""

import http.client
import json
import os
from urllib.parse import urlsplit

SERVICE = urlsplit(os.environ["PAYMENTS_URL"])


class Refused(Exception):
    """What the service says no to, or could not say."""


def ask(method, path, body=None, timeout=10):
    """One request, sent once."""
    connection = http.client.HTTPConnection(SERVICE.hostname, SERVICE.port, timeout=timeout)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
        return connection.getresponse().status
    finally:
        connection.close()


def charge(order_id, amount_cents, currency, reference=None, timeout=30):
    body = {"order_id": order_id, "amount_cents": amount_cents, "currency": currency}
    if reference:
        body["reference"] = reference
    status = ask("POST", "/charges", json.dumps(body), timeout)
    if not 200 <= status < 300:
        raise Refused(f"charge answered {status}")


def charged(reference):
    """Whether the service has a charge of this reference. Raises when it does not say."""
    status = ask("GET", f"/charges/{reference}")
    if status not in (200, 404):
        raise Refused(f"look-up answered {status}")
    return status == 200
