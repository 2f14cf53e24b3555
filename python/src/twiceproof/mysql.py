"""What MySQL and MariaDB need beside the statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from .errors import RefusedError

# Without the key ON DUPLICATE KEY says nothing about one that is there; with another one it takes two for one.
NO_KEY = (
    "the table needs a unique key on job_type and operation_key, both VARBINARY, and no other one: "
    "a repeat would be claimed again, or two operations taken for one; twiceproof schema prints the table as it must be"
)
NO_TRANSACTIONS = (
    "the table's engine has no transactions, so a claim would stay when its own row is rolled back, "
    "and the effect be missing for good: stop the workers, then ALTER TABLE … ENGINE=InnoDB"
)
NO_TABLE = "the table is not there, or has neither its key nor transactions; twiceproof schema prints it as it must be"
# Of a connection over which claims are committed and records are read:
NO_AUTOCOMMIT = (
    "autocommit is off on this connection, so a claim would not be committed before the act: "
    "set it on for the connections that the guard is given"
)
DIRTY = (
    "this connection reads what is not committed, so an own row that is rolled back would be taken for done: "
    "set another isolation level, such as READ COMMITTED"
)


@dataclass(frozen=True)
class Session:
    """What a connection is set to: wait and write in seconds, statement in milliseconds, 0 for no limit."""

    wait: int
    write: int
    statement: int

    @classmethod
    def of(cls, row: Sequence[Any], own: bool) -> Session:
        """Of a connection that is fit for the guard, with a table that is."""
        autocommit, dirty, key, transactions, *limits = row
        wrong = {
            NO_TABLE: not key and not transactions,
            NO_KEY: not key,
            NO_TRANSACTIONS: not transactions,
            NO_AUTOCOMMIT: own and not autocommit,
            DIRTY: own and dirty,
        }
        if why := next((why for why, found in wrong.items() if found), ""):
            raise RefusedError(why)
        return cls(*map(int, limits))

    def within(self, lease: timedelta) -> Session:
        """The server lets go of a transaction once the lease is over."""
        seconds = max(1, -(-lease // timedelta(seconds=1)))
        statement = min(self.statement or seconds * 1000, seconds * 1000)
        return Session(min(self.wait, seconds), min(self.write, seconds), statement)
