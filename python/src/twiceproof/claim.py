"""Taking an operation's claim for a delivery, or finding out why not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from .decide import ACT, ASSUME, HELD, HOLD, LIVE, TAKE_OVER, Decision, decide
from .job import NOTHING
from .record import Claimed, Record
from .records import Records
from .resend import resend

# Each round of a decision that did not stand somebody else has moved, so a few are enough.
CLAIM_ROUNDS = 5


@dataclass(frozen=True)
class Answer:
    """takeover: the claim is ours, and an earlier attempt may have its effect."""

    next: str
    record: Record | None = None
    wait: timedelta = NOTHING
    takeover: bool = False


def claim(records: Records, c: Claimed, until: float) -> Answer:
    record = resend(until, lambda: records.claim(c))
    doubt = False  # we asked to take over a record whose effect may be out
    for round_ in range(CLAIM_ROUNDS + 1):
        if record is None:
            break
        decision = decide(record, c.token, c.print, records.job)
        if round_ == CLAIM_ROUNDS and decision.writes:
            break
        if write_decision(records, c, record, decision, until):
            return answer_to(record, decision, doubt)
        # When only the reply of our takeover was lost, the record now shows our own token, and
        # the doubt about the earlier attempt is still there.
        doubt = doubt or (decision.next == TAKE_OVER and record.acts > 0)
        record = resend(until, lambda: records.read(c.key))
    return Answer(LIVE, record, timedelta(seconds=1))


def write_decision(records: Records, c: Claimed, r: Record, d: Decision, until: float) -> bool:
    """What is due to a stale claim; true when the decision stands."""
    writes: dict[str, Callable[[], bool]] = {
        TAKE_OVER: lambda: records.take_over(c, r, d.extra),
        HOLD: lambda: records.hold(c, r, d.reason),
        ASSUME: lambda: records.assume(c, r),
    }
    return not d.writes or resend(until, writes[d.next])


def answer_to(r: Record, d: Decision, doubt: bool) -> Answer:
    if d.next == TAKE_OVER:
        return Answer(ACT, r, takeover=r.acts > 0)
    if d.next == HOLD:
        return Answer(HELD, replace(r, hold_reason=d.reason))
    if d.next == ASSUME:
        return Answer(ASSUME, replace(r, completion="assumed"))
    return Answer(d.next, r, d.wait, takeover=doubt)
