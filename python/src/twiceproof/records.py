"""The verbs over the table: one statement each, none decides."""

from __future__ import annotations

import os
import re
import socket
from datetime import timedelta
from typing import Any

from .driver import Connection, Cursor, Driver
from .job import Job
from .key import Fingerprint
from .mysql import Session
from .own import OwnConnections
from .record import Claimed, Record, in_milliseconds
from .statements import check_table, statement

HOLD_BODY = "body_ended_transaction"


class Records:
    def __init__(self, own: OwnConnections, job: Job, table: str, worker: str | None) -> None:
        check_table(table)
        self.own = own
        own.check = self._check_own
        self.job = job
        self.table = table
        self._worker = worker
        self.session: Session | None = None  # of the application's connections

    @property
    def worker(self) -> str:
        """For people; it never decides, so no database may refuse it: only what every column and encoding takes.

        Asked each time, since a worker may have been forked.
        """
        return re.sub("[^ -~]", "?", self._worker or f"{socket.gethostname()}/{os.getpid()}")[:255]

    def run(self, connection: Connection, driver: Driver, verb: str, *args: Any) -> Cursor:
        """Executes a verb; args are its numbered parameters.

        Job type and key go to MySQL as bytes, which no character set of a connection changes.
        """
        made = statement(driver.dialect, verb, self.table, driver.mark)
        cursor = driver.cursor(connection)
        if driver.dialect == "mysql":
            args = tuple(a.encode() if i < 2 and isinstance(a, str) else a for i, a in enumerate(args))
        if made.order:
            driver.send(cursor, made.sql, made.arguments(args))
        elif made.sql:  # nothing to mark in PostgreSQL
            driver.send(cursor, made.sql)
        return cursor

    def row(self, connection: Connection, driver: Driver, verb: str, *args: Any) -> Any:
        """The row that a verb answers, or None."""
        cursor = self.run(connection, driver, verb, *args)
        row = cursor.fetchone() if cursor.description else None
        cursor.close()
        return row

    def changed(self, verb: str, key: str, *args: Any) -> bool:
        """Runs a verb on the operation's record and tells whether it did what it is for."""
        with self.own.lend() as (connection, driver):
            cursor = self.run(connection, driver, verb, self.job.type, key, *args)
            done = matched(driver, cursor)
            cursor.close()
        return done

    def read(self, key: str) -> Record | None:
        with self.own.lend() as (connection, driver):
            return self._record(connection, driver, "read", key)

    def claim(self, c: Claimed) -> Record | None:
        """Inserts the record or answers the one that is there; None when that cannot be seen yet."""
        j = self.job
        args = c.token, in_milliseconds(j.stored_lease), self.worker, j.policy, *_print(c.print), c.reference, c.message
        with self.own.lend() as (connection, driver):
            found = None
            if driver.dialect == "sqlite":  # an INSERT locks the whole database there, so a duplicate reads first
                found = self._record(connection, driver, "read", c.key)
            # PostgreSQL and MariaDB answer the record.
            found = found or self._record(connection, driver, "claim", c.key, *args)
            return found or self._record(connection, driver, "read", c.key)

    def _record(self, connection: Connection, driver: Driver, verb: str, key: str, *args: Any) -> Record | None:
        row = self.row(connection, driver, verb, self.job.type, key, *args)
        return None if row is None else Record.of(row)

    def mysql_session(self, connection: Connection, driver: Driver, own: bool) -> Session:
        return Session.of(self.row(connection, driver, "session"), own)

    def _check_own(self, connection: Connection, driver: Driver) -> None:
        if driver.dialect == "mysql":
            self.mysql_session(connection, driver, own=True)

    def take_over(self, c: Claimed, seen: Record, extra: timedelta) -> bool:
        j = self.job
        lease, more = in_milliseconds(j.stored_lease), in_milliseconds(extra)
        return self.changed("take_over", c.key, seen.token, c.token, lease, self.worker, j.policy, seen.acts, more)

    def hold(self, c: Claimed, seen: Record, reason: str) -> bool:
        return self.changed("hold", c.key, seen.token, reason, self.job.policy or None, seen.acts)

    def assume(self, c: Claimed, seen: Record) -> bool:
        return self.changed("assume", c.key, seen.token, self.job.policy, seen.acts)

    def renew(self, c: Claimed) -> bool:
        return self.changed("renew", c.key, c.token, in_milliseconds(self.job.stored_lease))

    def act_again(self, c: Claimed, acts: int) -> bool:
        return self.changed("act_again", c.key, c.token, acts)

    def complete(self, c: Claimed, completion: str, result: bytes | None) -> bool:
        return self.changed("complete", c.key, c.token, completion, result)

    def release(self, c: Claimed, new_token: str) -> bool:
        return self.changed("release", c.key, c.token, new_token)

    def give_up(self, c: Claimed, pause: timedelta, lookups: int) -> bool:
        return self.changed("give_up", c.key, c.token, in_milliseconds(pause), lookups)

    def late_finish(self, c: Claimed) -> bool:
        return self.changed("late_finish", c.key, c.token)

    def repeat(self, key: str) -> bool:
        return self.changed("repeat", key)

    def hold_own_row(self, c: Claimed) -> bool:
        return self.changed("hold_own_row", c.key, c.token, HOLD_BODY, c.message)

    def claim_own_row(self, connection: Connection, driver: Driver, c: Claimed) -> str | None:
        """The first statement of the transaction. The answer is what its seal needs; None when nothing was claimed."""
        lease = in_milliseconds(self.job.lease)
        args = self.job.type, c.key, c.token, self.worker, *_print(c.print), c.reference, lease
        cursor = self.run(connection, driver, "claim_own_row", *args)
        if driver.dialect == "mysql":
            found = c.token if matched(driver, cursor) else None
        else:
            row = cursor.fetchone()
            found = str(row[0]) if row else None
        cursor.close()
        if found is not None:
            self.run(connection, driver, "mark_own_row").close()
        return found

    def seal_own_row(self, connection: Connection, driver: Driver, c: Claimed, result: bytes | None, number: str) -> None:
        """The last statements of the transaction; the seal fails in any other one."""
        if result is not None:
            self.run(connection, driver, "result_own_row", self.job.type, c.key, c.token, result).close()
        self.run(connection, driver, "seal_own_row", number).close()


def matched(driver: Driver, cursor: Cursor) -> bool:
    """In MySQL the insert id tells: whether a row that stays as it was counts depends on a flag of the connection."""
    return bool(cursor.lastrowid) if driver.dialect == "mysql" else cursor.rowcount == 1


def _print(p: Fingerprint) -> tuple[bytes | None, str | None]:
    return p.sum, p.fields or None
