"""What MySQL and MariaDB need beside the statements."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from .errors import RefusedError


@dataclass(frozen=True)
class Session:
    """What a connection is set to: wait and write in seconds, statement in milliseconds, 0 for no limit."""

    wait: int
    write: int
    statement: int

    def within(self, lease: timedelta) -> Session:
        """The server lets go of a transaction once the lease is over."""
        seconds = max(1, -(-lease // timedelta(seconds=1)))
        statement = min(self.statement or seconds * 1000, seconds * 1000)
        return Session(min(self.wait, seconds), min(self.write, seconds), statement)


def check_own(autocommit: object, dirty: object) -> None:
    """Of a connection over which claims are committed and records are read."""
    if not autocommit:
        raise RefusedError(
            "autocommit is off on this connection, so a claim would not be committed before the act: "
            "set it on for the connections that the guard is given"
        )
    if dirty:
        raise RefusedError(
            "this connection reads what is not committed, so an own row that is rolled back would be taken for done: "
            "set another isolation level, such as READ COMMITTED"
        )


def check_key(fit: object) -> None:
    """Without it ON DUPLICATE KEY says nothing about a key that is there; with another one it takes two keys for one."""
    if not fit:
        raise RefusedError(
            "the table needs a unique key on job_type and operation_key, both VARBINARY, and no other one: "
            "a repeat would be claimed again, or two operations taken for one; twiceproof schema prints the table as it must be"
        )


def check_engine(transactions: object) -> None:
    if not transactions:
        raise RefusedError(
            "the table's engine has no transactions, so a claim would stay when its own row is rolled back, "
            "and the effect be missing for good: stop the workers, then ALTER TABLE … ENGINE=InnoDB"
        )
