"""A message of Amazon SQS, as boto3 gives it."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from .delivery import Delivery
from .message import fields_of_sqs


def delivery_of_sqs(message: Mapping[str, Any]) -> Delivery:
    """With the message whole, as `twiceproof sweep` puts it on the queue again: body, attributes and group.

    Ask for them: MessageAttributeNames=["All"], MessageSystemAttributeNames=["MessageGroupId"].
    """
    body, attributes = message["Body"], message.get("MessageAttributes") or {}
    stored: dict[str, Any] = {"body": body, "attributes": {name: _stored(a) for name, a in attributes.items()}}
    group = (message.get("Attributes") or {}).get("MessageGroupId")
    if group:
        stored["group_id"] = group
    texts = {name: a["StringValue"] for name, a in attributes.items() if "StringValue" in a}
    fields = fields_of_sqs(body, texts)
    return Delivery(fields, body=fields["body"], message=json.dumps(stored, ensure_ascii=False).encode())


def _stored(attribute: Mapping[str, Any]) -> dict[str, str]:
    stored = {"type": attribute["DataType"]}
    if "StringValue" in attribute:
        stored["string"] = attribute["StringValue"]
    if "BinaryValue" in attribute:
        stored["binary"] = base64.b64encode(bytes(attribute["BinaryValue"])).decode()
    return stored
