"""Durations as the job file has them: 90s, 2m, 45d, 1h30m."""

from __future__ import annotations

import re
from datetime import timedelta

from .errors import TwiceproofError

_ONE = r"(?:([0-9]+){})?"
_WHOLE = re.compile("".join(_ONE.format(unit) for unit in ("d", "h", "m(?!s)", "s", "ms")))
_MILLISECONDS = (86_400_000, 3_600_000, 60_000, 1000, 1)
_MOST = (2**63 - 1) // 1_000_000


class DurationError(TwiceproofError, ValueError):
    """A text that is no duration, and what to write instead."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint


def parse_duration(text: str) -> timedelta:
    """Reads whole numbers with the units d, h, m, s and ms, from long to short."""
    if text.startswith("-"):
        raise DurationError("is negative", "a duration is never negative")
    if re.fullmatch("[0-9]+", text):
        raise DurationError("has no unit", f"write {text}s if seconds are meant; the units are ms, s, m, h and d")
    if "." in text:
        raise DurationError("has a fraction", "write whole numbers, such as 1h30m or 1500ms")
    match = _WHOLE.fullmatch(text)
    if not text or not match:
        hint = "write one such as 90s, 2m, 45d or 1h30m; the units are ms, s, m, h and d"
        raise DurationError("is no duration", hint)
    if any(len(n or "") > 19 for n in match.groups()):
        raise DurationError("is too long", "a duration is shorter than 292 years")
    total = sum(int(n or 0) * length for n, length in zip(match.groups(), _MILLISECONDS))
    if total > _MOST:
        raise DurationError("is too long", "a duration is shorter than 292 years")
    return timedelta(milliseconds=total)
