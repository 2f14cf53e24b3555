"""Taking an operation's claim for a delivery, or finding out why not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from .decide import HOLD, TAKE_OVER, Decision, decide, decide_own_row
from .delivery import LIVE
from .record import Claimed, Record
from .records import Records
from .resend import resend

# Each round of a decision that did not stand somebody else has moved, so a few are enough.
CLAIM_ROUNDS = 5


@dataclass(frozen=True)
class Answer:
    """takeover: the claim is ours, and an earlier attempt may have its effect."""

    decision: Decision
    record: Record | None
    takeover: bool = False


def claim(records: Records, c: Claimed, until: float) -> Answer:
    found = resend(until, lambda: records.claim(c))
    return answer_to(found, lambda r: decide(r, c.token, c.print, records.job), records, c, until)


def look(records: Records, c: Claimed, until: float) -> Answer:
    """Why the transaction of an own row could not claim. No record that can be seen means that another's is about to make it."""
    found = resend(until, lambda: records.read(c.key))
    return answer_to(found, lambda r: decide_own_row(r, c.print), records, c, until)


def answer_to(
    record: Record | None, decision: Callable[[Record], Decision], records: Records, c: Claimed, until: float
) -> Answer:
    doubt = False  # we asked to take over a record whose effect may be out
    for left in reversed(range(CLAIM_ROUNDS + 1)):
        if record is None:
            break
        d = decision(record)
        if d.writes and not left:
            break
        if not d.writes or resend(until, partial(write, records, c, record, d)):
            return Answer(d, record, record.acts > 0 if d.next == TAKE_OVER else doubt)
        # When only the reply of our takeover was lost, the record now shows our own token, and
        # the doubt about the earlier attempt is still there.
        doubt = doubt or (d.next == TAKE_OVER and record.acts > 0)
        record = resend(until, lambda: records.read(c.key))
    return Answer(Decision(LIVE, wait=timedelta(seconds=1)), record)


def write(records: Records, c: Claimed, r: Record, d: Decision) -> bool:
    """What is due to a stale claim; true when the decision stands."""
    if d.next == TAKE_OVER:
        return records.take_over(c, r, d.extra)
    return records.hold(c, r, d.reason) if d.next == HOLD else records.assume(c, r)
