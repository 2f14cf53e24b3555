"""Reading a message, so that the operation key does not depend on who reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .errors import TwiceproofError


class MessageError(TwiceproofError, ValueError):
    """A message that two readers may take differently."""


def decode_json(data: bytes | str) -> Any:
    """Reads one JSON value and keeps every digit of an integer.

    Refused are a name twice in one object, text after the value, invalid UTF-8, NaN, and half a
    surrogate pair, which other readers would replace and so make two keys one.
    """
    text = _utf8(data)
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise MessageError("a JSON string has half of a surrogate pair") from None
    except MessageError:
        raise
    except (ValueError, RecursionError):
        raise _SyntaxError("not one sound JSON value") from None
    return value


class _SyntaxError(MessageError):
    pass


def _utf8(data: bytes | str) -> str:
    try:
        return data.decode() if isinstance(data, bytes) else data.encode().decode()
    except UnicodeError:
        raise MessageError("not valid UTF-8") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise MessageError("a JSON object has the same name twice")
    return made


def _constant(name: str) -> Any:
    raise _SyntaxError(f"{name} is no JSON")


def fields_of_sqs(body: bytes | str, attributes: Mapping[str, str]) -> dict[str, Any]:
    """The fields of an Amazon SQS message.

    A body that starts with { or [ must be sound JSON; another one is read as JSON when all of it
    is one JSON value, and is a plain string otherwise: 42 is an integer, ORD-42 and 0042 are strings.
    """
    for text in (*attributes.keys(), *attributes.values()):
        _utf8(text)
    return {"body": _body(body), "attributes": dict(attributes)}


def _body(body: bytes | str) -> Any:
    text = _utf8(body)
    try:
        return decode_json(text)
    except _SyntaxError:
        if text.lstrip(" \t\r\n")[:1] in ("{", "["):
            raise
        return text
