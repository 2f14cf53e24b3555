"""What a delivery does about the record that it found: the whole protocol. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from .delivery import COMPLETED, HELD, LIVE, MISMATCH
from .job import DEFAULT_MAX_LOOKUPS, DEFAULT_MAX_TAKEOVERS, NOTHING, Job
from .key import Fingerprint
from .record import Record

ACT = "act"  # the claim is ours, with no doubt about an earlier attempt
TAKE_OVER = "take_over"  # stale: claim it
HOLD = "hold"  # stale, and the policy or a budget says: a person
ASSUME = "assume"  # stale, and the policy says: taken as done


@dataclass(frozen=True)
class Decision:
    """reason is of a hold; wait is until a live claim is stale; extra is beyond a takeover's stored lease."""

    next: str
    reason: str = ""
    wait: timedelta = NOTHING
    extra: timedelta = NOTHING

    @property
    def writes(self) -> bool:
        """It stands only when its write finds the record as it was read."""
        return self.next in (TAKE_OVER, HOLD, ASSUME)


def decide(r: Record, token: str, print_: Fingerprint, j: Job) -> Decision:
    if found := _decided(r, print_):
        return found
    if r.token == token:  # the reply of our own claim was lost
        return Decision(ACT)
    extra = _settle_still_to_wait(r, j)
    if r.stale_for < extra:
        return Decision(LIVE, wait=extra - r.stale_for)
    if r.acts == 0:
        return Decision(TAKE_OVER)
    if reason := hold_reason(r, j):
        return Decision(HOLD, reason)
    return Decision(ASSUME) if j.policy == "accept_miss" else Decision(TAKE_OVER, extra=extra)


def decide_own_row(r: Record, print_: Fingerprint) -> Decision:
    """A claim here is of the time when the job's effect was outside. It may be out, so it is not acted upon."""
    if found := _decided(r, print_):
        return found
    if r.stale_for < NOTHING:
        return Decision(LIVE, wait=-r.stale_for)
    return Decision(HOLD, "mode_changed")


def _decided(r: Record, print_: Fingerprint) -> Decision | None:
    if print_.differs(r.fingerprint):
        return Decision(MISMATCH)
    return Decision(r.state) if r.state in (COMPLETED, HELD) else None


def _settle_still_to_wait(r: Record, j: Job) -> timedelta:
    """A claim made under another policy has a lease without settle; a look-up at its end could come too early."""
    waits = j.policy == "lookup" and r.policy != "lookup" and r.acts > 0
    return j.stale_claim.settle if waits else NOTHING


def hold_reason(r: Record, j: Job) -> str:
    """Why a stale claim waits for a person, or nothing. Budgets are the operation's, not the attempt's."""
    s = j.stale_claim
    vanished = r.vanished + (not r.given_up)
    if s.policy == "hold":
        return "unknown_outcome" if r.given_up else "worker_vanished"
    if vanished > (s.max_takeovers or DEFAULT_MAX_TAKEOVERS):
        return "max_takeovers"
    if s.policy == "lookup" and r.lookups >= (s.max_lookups or DEFAULT_MAX_LOOKUPS):
        return "max_lookups"
    if s.policy == "resend" and r.known_for + j.lease > s.reference_window:
        return "reference_window"  # by the end of the new lease the service may have forgotten
    return "max_acts" if s.policy == "accept_duplicate" and r.acts >= 2 else ""


def look_up_pause(lookups: int, j: Job) -> timedelta:
    """How long a claim rests after a look-up without an answer: doubling from 1s, from settle up to the lease."""
    pause = timedelta(seconds=1 << min(lookups, 16))
    return max(j.stale_claim.settle, min(pause, j.lease))
