"""Durations as the job file has them: 90s, 2m, 45d, 1h30m."""

from __future__ import annotations

import re
from datetime import timedelta
from operator import mul

from .errors import UnfitError

_ONE = r"(?:([0-9]+){})?"
_WHOLE = re.compile("".join(_ONE.format(unit) for unit in ("d", "h", "m(?!s)", "s", "ms")))
_MILLISECONDS = (86_400_000, 3_600_000, 60_000, 1000, 1)
_MOST = (2**63 - 1) // 1_000_000


def parse_duration(text: str) -> timedelta:
    """Reads whole numbers with the units d, h, m, s and ms, from long to short."""
    if text.startswith("-"):
        raise UnfitError("is negative", "a duration is never negative")
    if re.fullmatch("[0-9]+", text):
        raise UnfitError("has no unit", f"write {text}s if seconds are meant; the units are ms, s, m, h and d")
    if "." in text:
        raise UnfitError("has a fraction", "write whole numbers, such as 1h30m or 1500ms")
    match = _WHOLE.fullmatch(text)
    if not text or not match:
        raise UnfitError("is no duration", "write one such as 90s, 2m, 45d or 1h30m; the units are ms, s, m, h and d")
    counts = [n or "0" for n in match.groups()]
    # Of more digits than any length has: Python refuses to read thousands.
    if any(len(n) > 19 for n in counts) or (total := sum(map(mul, map(int, counts), _MILLISECONDS))) > _MOST:
        raise UnfitError("is too long", "a duration is shorter than 292 years")
    return timedelta(milliseconds=total)
