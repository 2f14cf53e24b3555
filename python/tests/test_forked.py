"""A child that the body forks, and that leaves it: claim and connections are the parent's."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import pytest
from frameworks import INSERT, rows

import twiceproof.ownrow
import twiceproof.perform
from databases import Database
from jobs import a_job, guard, order, record
from twiceproof import BodyError
from twiceproof.driver import driver_of


def fails() -> None:
    os.close(2)
    raise ValueError("of the child")


CHILDREN: dict[str, tuple[Callable[[], Any], int]] = {"exit": (lambda: sys.exit(3), 3), "end": (bool, 0), "raise": (fails, 1)}
each_child = pytest.mark.parametrize("how", CHILDREN)


class Forking:
    """Runs one operation whose body forks, and then makes its effect, or looks at its record."""

    def __init__(self, database: Database, own_row: bool) -> None:
        self.database, self.job = database, a_job(own_row=own_row)
        self.guard, self.connection = guard(database, self.job), database.application()
        self.status = 0
        self.seen: Any = None

    def run(self, how: str) -> str:
        process, leave = os.getpid(), CHILDREN[how][0]

        def act(op: Any) -> None:
            if not (child := os.fork()):
                leave()
                return
            self.status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            if self.job.effect.kind == "outside":
                self.seen = record(self.database, self.job, "state", "given_up")
            else:
                driver_of(self.connection).execute(self.connection, INSERT.format(self.job.type, op.key))

        try:
            if self.job.effect.kind == "outside":
                return self.guard.run(order(), act).outcome
            return self.guard.run_tx(self.connection, order(), act).outcome
        finally:
            if os.getpid() != process:
                os._exit(9)

    def close(self) -> None:
        self.connection.close()
        self.guard.close()


@each_child
@pytest.mark.parametrize("own_row", [True, False])
def test_a_child_that_leaves_the_body(database: Database, own_row: bool, how: str) -> None:
    f = Forking(database, own_row)
    assert (f.run(how), f.status) == ("completed", CHILDREN[how][1])
    assert own_row or f.seen == ("claimed", 0)
    assert not own_row or rows(database, f.job) == 1
    assert record(database, f.job, "state", "given_up") == ("completed", 0)
    f.close()


@each_child
@pytest.mark.on("psycopg")
def test_control_a_child_that_goes_on(database: Database, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends the parent's claim before the effect; and what the parent writes is in no transaction, or in one that is over."""
    for module in (twiceproof.perform, twiceproof.ownrow):
        monkeypatch.setattr(module, "body", lambda call, op: call(op))
    f = Forking(database, own_row=False)
    f.run(how)
    assert f.seen == (("completed", 0) if how == "end" else ("claimed", 1))
    f.close()
    f = Forking(database, own_row=True)
    with pytest.raises(BodyError):
        f.run(how)
    f.close()
