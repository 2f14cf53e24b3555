"""The decision about a record, as a table and by the rules that hold for all of it."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from twiceproof.decide import Decision, decide, decide_own_row, look_up_pause
from twiceproof.job import Job, StaleClaim
from twiceproof.key import Fingerprint
from twiceproof.record import Record

LEASE, SETTLE, WINDOW = timedelta(minutes=1), timedelta(seconds=10), timedelta(hours=24)
MS, NOTHING = timedelta(milliseconds=1), timedelta(0)
ONE, OTHER = Fingerprint(b"1", "body.amount"), Fingerprint(b"2", "body.amount")
STALE = Record("claimed", "theirs", NOTHING, acts=1, policy="lookup", fingerprint=ONE)


def job(policy: str, **more: Any) -> Job:
    times: dict[str, Any] = {"lookup": {"settle": SETTLE}, "resend": {"reference_window": WINDOW}}.get(policy, {})
    return Job("j", lease=LEASE, stale_claim=StaleClaim(policy, **times, **more))


LOOKUP, HOLD, TWO = job("lookup"), job("hold"), job("lookup", max_takeovers=2, max_lookups=2)
TABLE = [
    ("completed", {"state": "completed"}, ONE, LOOKUP, Decision("completed")),
    ("completed, other print", {"state": "completed"}, OTHER, LOOKUP, Decision("mismatch")),
    ("completed, mine", {"state": "completed", "token": "mine"}, ONE, HOLD, Decision("completed")),
    ("held", {"state": "held"}, ONE, HOLD, Decision("held")),
    ("held, other print", {"state": "held"}, OTHER, HOLD, Decision("mismatch")),
    ("live, other print", {"stale_for": -MS}, OTHER, HOLD, Decision("mismatch")),
    ("record without a print", {"fingerprint": Fingerprint()}, OTHER, LOOKUP, Decision("take_over")),
    ("message without one", {}, Fingerprint(), LOOKUP, Decision("take_over")),
    ("print of other fields", {"fingerprint": Fingerprint(b"1", "body.x")}, OTHER, LOOKUP, Decision("take_over")),
    ("mine, live", {"token": "mine", "stale_for": -LEASE}, ONE, HOLD, Decision("act")),
    ("mine, stale", {"token": "mine", "stale_for": LEASE}, ONE, HOLD, Decision("act")),
    ("live by 1 ms", {"stale_for": -MS}, ONE, LOOKUP, Decision("live", wait=MS)),
    ("live, no doubt", {"stale_for": -MS, "acts": 0}, ONE, HOLD, Decision("live", wait=MS)),
    ("just stale, lookup", {}, ONE, LOOKUP, Decision("take_over")),
    ("just stale, hold", {}, ONE, HOLD, Decision("hold", "worker_vanished")),
    ("given up, hold", {"given_up": True}, ONE, HOLD, Decision("hold", "unknown_outcome")),
    ("no doubt, hold", {"acts": 0, "given_up": True}, ONE, HOLD, Decision("take_over")),
    ("no doubt, budgets gone", {"acts": 0, "vanished": 99, "lookups": 99}, ONE, LOOKUP, Decision("take_over")),
    ("held before, at the lease", {"policy": "hold"}, ONE, LOOKUP, Decision("live", wait=SETTLE)),
    ("settle not over", {"policy": "hold", "stale_for": SETTLE - MS}, ONE, LOOKUP, Decision("live", wait=MS)),
    ("settle just over", {"policy": "hold", "stale_for": SETTLE}, ONE, LOOKUP, Decision("take_over", extra=SETTLE)),
    ("hold before, no doubt", {"policy": "hold", "acts": 0}, ONE, LOOKUP, Decision("take_over")),
    ("5th vanished", {"vanished": 4}, ONE, LOOKUP, Decision("take_over")),
    ("6th vanished", {"vanished": 5}, ONE, LOOKUP, Decision("hold", "max_takeovers")),
    ("5 vanished, 1 given up", {"vanished": 5, "given_up": True}, ONE, LOOKUP, Decision("take_over")),
    ("own budget, 3rd vanished", {"vanished": 2}, ONE, TWO, Decision("hold", "max_takeovers")),
    ("4 look-ups", {"lookups": 4}, ONE, LOOKUP, Decision("take_over")),
    ("5 look-ups", {"lookups": 5}, ONE, LOOKUP, Decision("hold", "max_lookups")),
    ("own budget, 2 look-ups", {"lookups": 2}, ONE, TWO, Decision("hold", "max_lookups")),
    ("resend, within the window", {"known_for": WINDOW - LEASE}, ONE, job("resend"), Decision("take_over")),
    ("resend, 1 ms too late", {"known_for": WINDOW - LEASE + MS}, ONE, job("resend"), Decision("hold", "reference_window")),
    ("resend, late, no doubt", {"known_for": 2 * WINDOW, "acts": 0}, ONE, job("resend"), Decision("take_over")),
    ("accept_duplicate, 1 act", {}, ONE, job("accept_duplicate"), Decision("take_over")),
    ("accept_duplicate, 2 acts", {"acts": 2}, ONE, job("accept_duplicate"), Decision("hold", "max_acts")),
    ("accept_miss", {}, ONE, job("accept_miss"), Decision("assume")),
    ("accept_miss, no doubt", {"acts": 0}, ONE, job("accept_miss"), Decision("take_over")),
    ("accept_miss, 6th gone", {"vanished": 5}, ONE, job("accept_miss"), Decision("hold", "max_takeovers")),
]


@pytest.mark.parametrize(("change", "print_", "j", "want"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_decide(change: dict[str, Any], print_: Fingerprint, j: Job, want: Decision) -> None:
    assert decide(replace(STALE, **change), "mine", print_, j) == want


def test_rules_of_every_decision() -> None:
    seen = set()
    policies = [job(p) for p in ("lookup", "resend", "hold", "accept_duplicate", "accept_miss")]
    ranges: Any = (
        ("claimed", "completed", "held"), ("mine", "theirs"), (-LEASE, NOTHING, SETTLE, LEASE), range(4), (False, True),
        (0, 4, 5), (0, 4, 5), ("hold", "lookup"), (NOTHING, WINDOW), (ONE, OTHER), policies,
    )  # fmt: skip
    for state, token, stale, acts, given_up, vanished, lookups, policy, known, print_, j in itertools.product(*ranges):
        r = Record(state, token, stale, acts, given_up, vanished, lookups, policy, ONE, known_for=known)
        d = decide(r, "mine", print_, j)
        seen.add(d.next)
        if print_ is OTHER:
            assert d.next == "mismatch"
        elif state != "claimed":
            assert d.next == state
        elif token == "mine":
            assert d.next == "act"
        else:
            assert (d.next == "live") == (d.wait > NOTHING)
            assert d.next != "live" or stale < SETTLE
            assert stale >= NOTHING or d.next == "live"
            assert acts or d.next in ("live", "take_over")
            assert d.next != "hold" or d.reason
    assert seen == {"act", "take_over", "hold", "assume", "live", "completed", "held", "mismatch"}


@pytest.mark.parametrize(
    ("change", "want"),
    [
        ({"state": "completed"}, Decision("completed")),
        ({"state": "held"}, Decision("held")),
        ({"stale_for": -MS}, Decision("live", wait=MS)),
        ({}, Decision("hold", "mode_changed")),
        ({"acts": 0}, Decision("hold", "mode_changed")),
        ({"fingerprint": OTHER}, Decision("mismatch")),
    ],
)
def test_decide_own_row(change: dict[str, Any], want: Decision) -> None:
    assert decide_own_row(replace(STALE, **change), ONE) == want


def test_look_up_pause() -> None:
    j = replace(LOOKUP, stale_claim=StaleClaim("lookup", settle=3 * MS))
    seconds = [look_up_pause(n, j) / timedelta(seconds=1) for n in (0, 1, 5, 6, 99)]
    assert seconds == [1, 2, 32, 60, 60]
    assert look_up_pause(0, LOOKUP) == SETTLE
