"""Operation key, fingerprint and reference: the same bytes in every language. Pure."""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from .errors import KeyRefusedError
from .path import ABSENT, Path

MAX_KEY_BYTES = 255

# White space and invisible characters. The list is written out because the strip of languages disagree.
BLANK = frozenset(map(chr, (
    *range(0x09, 0x0E), *range(0x1C, 0x21), 0x85, 0xA0, 0x1680, 0x180E, *range(0x2000, 0x200E),
    0x2028, 0x2029, 0x202F, 0x205F, 0x2060, 0x3000, 0xFEFF,
)))  # fmt: skip
# What languages write when they turn nothing into a text.
NOTHING_WORDS = ("None", "nil", "null", "undefined", "<nil>")


@dataclass(frozen=True)
class Fingerprint:
    """What must match when an operation key is used again: a sum, and the fields behind it."""

    sum: bytes | None = None
    fields: str = ""

    def differs(self, other: Fingerprint) -> bool:
        """Only two sums made from the same fields disagree; a field added by a release does not."""
        return bool(self.sum and other.sum) and self.fields == other.fields and self.sum != other.sum


def key_of(paths: Sequence[Path], fields: Mapping[str, Any]) -> str:
    """The value at each path, % and / in it escaped, joined with /. Bytes are identity."""
    if not paths:
        raise KeyRefusedError("operation key", "", "no_path")
    parts = [_part(p, fields).replace("%", "%25").replace("/", "%2F") for p in paths]
    key = "/".join(parts)
    if len(key.encode()) > MAX_KEY_BYTES:
        raise KeyRefusedError("operation key", ",".join(map(str, paths)), "too_long")
    return key


def _part(path: Path, fields: Mapping[str, Any]) -> str:
    value = path.find(fields)
    kind = kind_of(value)
    text = text_of(value) if kind in ("string", "integer") else ""
    why = _refused_text(text) if kind == "string" else "" if kind == "integer" else kind
    if why:
        raise KeyRefusedError("operation key", str(path), why)
    return text


def _refused_text(text: str) -> str:
    if not text:
        return "empty"
    if not is_utf8(text):
        return "not_utf8"
    if "\0" in text:
        return "nul"
    if BLANK.issuperset(text):
        return "blank"
    return "word" if text in NOTHING_WORDS else ""


def is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


# bool before int, whose subclass it is.
_KINDS: dict[str, Any] = {
    "null": type(None), "string": str, "boolean": bool, "integer": int, "float": float,
    "list": (list, tuple), "object": Mapping,
}  # fmt: skip


def kind_of(value: Any) -> str:
    """The type of a value as JSON has it."""
    found = (name for name, types in _KINDS.items() if isinstance(value, types))
    return "absent" if value is ABSENT else next(found, "type")


def text_of(value: Any) -> str:
    """The text of a string or integer, also when it is a member of an enumeration."""
    if isinstance(value, str):
        return str.__str__(value)
    if value.bit_length() > 8 * MAX_KEY_BYTES * 2:  # str of a huge integer is slow, and then refused by Python
        return "9" * (MAX_KEY_BYTES + 1)
    return int.__repr__(value)


def fingerprint_of(paths: Sequence[Path], fields: Mapping[str, Any]) -> Fingerprint:
    """SHA-256 over the fields in the order of their paths' bytes: type byte, length, bytes of each.

    So 1, 1.0 and "1" are three values, and an absent field is null.
    """
    if not paths:
        return Fingerprint()
    ordered = sorted(paths, key=lambda p: p.text.encode())
    encoded = b"".join(_encoded(p, p.find(fields)) for p in ordered)
    return Fingerprint(hashlib.sha256(encoded).digest(), ",".join(map(str, ordered)))


_BYTES: dict[str, Callable[[Any], bytes]] = {  # by the kind, whose first letter is the type byte
    "null": lambda value: b"",
    "string": lambda value: text_of(value).encode(),
    "boolean": lambda value: b"\x01" if value else b"\x00",
    "integer": lambda value: int.__repr__(value).encode(),
    "float": lambda value: struct.pack(">d", value or 0.0),  # -0 as 0
}


def _encoded(path: Path, value: Any) -> bytes:
    kind = "null" if value is ABSENT else kind_of(value)
    why = kind if kind not in _BYTES else ""
    if kind == "string" and not is_utf8(text_of(value)):
        why = "not_utf8"
    if kind == "float" and not math.isfinite(value):
        why = "infinite"
    if why:
        raise KeyRefusedError("fingerprint", str(path), why)
    return kind[0].encode() + _sized(_BYTES[kind](value))


def _sized(data: bytes) -> bytes:
    return struct.pack(">Q", len(data)) + data


def reference_of(job_type: str, key: str) -> str:
    """What the outside service is given: a UUID that is the same in every attempt, on every worker."""
    sum_ = bytearray(hashlib.sha256(_sized(job_type.encode()) + _sized(key.encode())).digest()[:16])
    sum_[6] = sum_[6] & 0x0F | 0x80
    sum_[8] = sum_[8] & 0x3F | 0x80
    return str(UUID(bytes=bytes(sum_)))
