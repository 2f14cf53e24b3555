"""The worker's wall clock steps between claim and completion: the database's counts, and what has passed since."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import pytest

from databases import Database
from jobs import a_job, guard, order

HOUR = 3600.0


def remaining_after(database: Database, monkeypatch: pytest.MonkeyPatch, clock: str, by: float) -> float:
    """What the body has left, a second delivery being told to wait as long at the most."""
    g, left, waits = guard(database, a_job()), [0.0], []
    now = getattr(time, clock)

    def act(op: Any) -> None:
        monkeypatch.setattr(time, clock, lambda: now() + by)
        left[0] = op.remaining
        monkeypatch.setattr(time, clock, lambda: now() + (by if clock == "time" else 0))
        op.check()
        op.renew()
        waits.append(g.run(order(), act).retry_after)

    assert g.run(order(), act).outcome == "completed"
    assert timedelta(0) < waits[0] <= timedelta(seconds=60)
    assert g.run(order(), act).repeat
    g.close()
    return left[0]


@pytest.mark.on("postgres", "mysql")
@pytest.mark.parametrize("by", [-HOUR, HOUR])
def test_the_wall_clock_steps(database: Database, monkeypatch: pytest.MonkeyPatch, by: float) -> None:
    assert 0 < remaining_after(database, monkeypatch, "time", by) <= 60
    assert not 0 < remaining_after(database, monkeypatch, "monotonic", by) <= 60  # the control: the clock that counts
