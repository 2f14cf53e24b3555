"""An idempotency record as one statement saw it, and one delivery's own side of a claim."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from .key import Fingerprint


@dataclass(frozen=True)
class Record:
    """stale_for is by the database's clock; negative while the claim is live."""

    state: str
    token: str
    stale_for: timedelta
    acts: int = 1
    given_up: bool = False
    vanished: int = 0
    lookups: int = 0
    policy: str = ""
    fingerprint: Fingerprint = field(default_factory=Fingerprint)
    reference: str = ""
    result: bytes | None = None
    completion: str = ""
    hold_reason: str = ""
    known_for: timedelta = timedelta(0)
    repeat_due: bool = False

    @classmethod
    def of(cls, row: Sequence[Any]) -> Record:
        state, token, stale, acts, given_up, vanished, lookups, policy = row[:8]
        sum_, fields, reference, result, completion, reason, known, due = row[8:]
        return cls(
            state, token, milliseconds(stale), acts, bool(given_up), vanished, lookups, policy or "",
            Fingerprint(_bytes(sum_), fields or ""), reference or "", _bytes(result), completion or "",
            reason or "", milliseconds(known), bool(due),
        )  # fmt: skip


def _bytes(value: Any) -> bytes | None:
    return None if value is None else bytes(value)


def milliseconds(count: int) -> timedelta:
    return timedelta(milliseconds=int(count))


def in_milliseconds(length: timedelta) -> int:
    return length // timedelta(milliseconds=1)


def new_token() -> str:
    return secrets.token_hex(16)


@dataclass(frozen=True)
class Claimed:
    """A fresh token for each delivery tells a claim of its own from every other."""

    key: str
    print: Fingerprint
    reference: str
    message: bytes | None = None
    token: str = field(default_factory=new_token)
