"""One call of a task: the fields that its key is read from, and the message to put on the queue again."""

from __future__ import annotations

import inspect
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from celery.app.task import Context
from celery.utils.log import get_task_logger
from kombu.utils import json

from ..delivery import Delivery
from .errors import CallError

log = get_task_logger("twiceproof.celery")


@dataclass(frozen=True)
class Call:
    """args and kwargs as the function is called; task is None when it runs as a plain function."""

    function: Callable[..., Any]
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    task: Any = None
    sent: tuple[Any, Any] = (None, None)

    def kept(self) -> Call:
        """With the arguments as they were sent, for the message's copies: the body may change what is nested in them."""
        if not self.at_broker:
            return self
        sent = self.request.args, self.request.kwargs
        with suppress(Exception):  # of an object that pickle brought
            sent = deepcopy(sent)
        return replace(self, sent=sent)

    @property
    def request(self) -> Any:
        return self.task.request

    @property
    def at_broker(self) -> bool:
        """A worker runs it for a message; not so a direct call, apply() and task_always_eager."""
        return self.task is not None and not self.request.called_directly and not self.request.is_eager

    def delivery(self) -> Delivery:
        signature, args = inspect.signature(self.function), self.args
        if args and args[0] is self.task is not None:  # a bound one
            signature = signature.replace(parameters=list(signature.parameters.values())[1:])
            args = args[1:]
        fields = fields_of(signature, args, self.kwargs)
        fields["headers"] = plain(own_headers(self.request)) if self.task is not None else {}
        message = message_of(self.task, *self.sent) if self.at_broker else None
        return Delivery(fields, body=fields["kwargs"], message=message)


def fields_of(signature: inspect.Signature, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Every argument by its place and by its name, defaults included, however it was passed."""
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise CallError(str(error)) from None
    bound.apply_defaults()
    names = dict(bound.arguments)
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            del names[name]
        elif parameter.kind is parameter.VAR_KEYWORD:
            names = {**names.pop(name), **names}
    return {"args": plain(bound.args), "kwargs": plain(names)}


def plain(value: Any) -> Any:
    """What newer serializers make objects of is the text that older ones sent, to the letter: both may send one operation."""
    if isinstance(value, (uuid.UUID, Decimal)):
        return str(value)
    if isinstance(value, (datetime, time)):
        return re.sub(r"\+00:00$", "Z", value.isoformat()) if isinstance(value, datetime) else value.isoformat()
    if isinstance(value, date):
        return f"{value.isoformat()}T00:00:00"
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return {k: plain(v) for k, v in value.items()} if isinstance(value, Mapping) else value


# What a stored message keeps, and the option of send_task that it becomes.
_KEPT = {"group": "group_id"}
_KEPT.update((n, n) for n in ("root_id", "parent_id", "group_index", "retries", "reply_to", "shadow", "ignore_result"))
_OTHERS = {*_KEPT, "timelimit", "lang", "task", "id", "argsrepr", "kwargsrepr", "compression", "properties"}
_BROKERS = ("x-death", "x-first-death-", "x-last-death-", "x-delivery-count", "x-acquired-count")  # RabbitMQ tells cycles by them
_EMBEDDED = ("callbacks", "errbacks", "chain", "chord")


def group_of(request: Any) -> dict[str, str]:
    """The group of Amazon SQS, which no copy of Celery's own keeps."""
    group = (getattr(request, "properties", None) or {}).get("MessageGroupId")
    return {"MessageGroupId": group} if group else {}


_DELAY = re.compile(r"^(?:[01]\.){28}")  # written before the routing key where RabbitMQ itself delays (Celery 5.5)


def queue_of(app: Any, request: Any) -> str | None:
    """The queue that an exchange led to, where one can be named.

    Celery delays in RabbitMQ what names exchange and routing key alone for the default queue.
    """
    info = request.delivery_info or {}
    exchange, routed = info.get("exchange") or "", info.get("routing_key") or ""
    key = _DELAY.sub("", routed)
    queues = [q for q in app.amqp.queues.values() if exchange and q.routing_key == key]
    names = [q.name for q in queues if q.exchange and (key != routed or q.exchange.name == exchange)]
    return names[0] if len(names) == 1 else None


def own_headers(request: Any) -> dict[str, Any]:
    """The application's own, such as a tenant."""
    headers = request.headers or {name: v for name, v in vars(request).items() if not hasattr(Context, name)}  # in Celery 5.2
    return {name: v for name, v in headers.items() if name not in _OTHERS and not name.startswith(_BROKERS)}


def message_of(task: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bytes | None:
    """Without eta and expires, which were for the first delivery; None when the arguments are no JSON."""
    request = task.request
    headers = own_headers(request)
    headers.update({name: getattr(request, name, None) for name in (*_KEPT, "timelimit")})
    headers.update(lang="py", task=task.name, id=request.id)
    embedded = {name: getattr(request, name, None) for name in _EMBEDDED}
    info = request.delivery_info or {}
    queue = {"exchange": info.get("exchange"), "routing_key": info.get("routing_key"), "priority": info.get("priority")}
    queue.update(group_of(request))
    try:
        return json.dumps({"headers": headers, "body": [args, kwargs, embedded], **queue}).encode()  # type: ignore[no-any-return]
    except (TypeError, ValueError) as error:
        log.warning("message not stored, so no sweep can put it back: its arguments are no JSON: %s", error)
        return None


def push(app: Any, message: bytes) -> None:
    """Puts a stored message on its queue again: the same task id, arguments, chain and chord."""
    read = json.loads(message)
    headers, (args, kwargs, embedded) = read["headers"], read["body"]
    hard, soft = headers["timelimit"] or (None, None)
    options = {option: headers[name] for name, option in _KEPT.items()}
    options.update(time_limit=hard, soft_time_limit=soft, **_route(read))
    options["headers"] = {name: headers[name] for name in headers if name not in _OTHERS}
    options.update(link=embedded["callbacks"], link_error=embedded["errbacks"], chain=embedded["chain"], chord=embedded["chord"])
    app.send_task(headers["task"], args, kwargs, task_id=headers["id"], **options)


def _route(read: Mapping[str, Any]) -> dict[str, Any]:
    route = {"queue": read["routing_key"]} if not read["exchange"] else {k: read[k] for k in ("exchange", "routing_key")}
    more = {name: read[name] for name in ("priority", "MessageGroupId") if read.get(name) is not None}
    return {**route, **more}
