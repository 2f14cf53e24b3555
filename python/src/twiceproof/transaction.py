"""The transaction that holds an own row's claim, effect and completion."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from .driver import Connection, Driver, answered, driver_of
from .errors import BodyError, NotCommittedError, OpenTransactionError
from .mysql import Session
from .record import Claimed
from .records import Records


class Transaction(Protocol):
    """How the guard drives it; whoever owns the connection can give another one.

    begin opens the outermost transaction and sends the claim as its first statement; False means
    that nothing was claimed. commit sends the seal, then commits; NotCommittedError means that it
    surely did not. rollback ends the transaction if it is open, and nothing that was open before.
    """

    def begin(self, c: Claimed) -> bool: ...
    def commit(self, c: Claimed, result: bytes | None) -> None: ...
    def rollback(self) -> None: ...


class OwnTransaction:
    """On the application's connection, with its driver's own begin and commit.

    A framework that keeps an account of its transactions gives its own is_open, open, close and undo.
    Nothing is opened before begin, which comes after the key was read.
    """

    def __init__(self, connection: Connection, records: Records) -> None:
        self.connection = connection
        self.records = records
        self.limits = Limits(records)
        self.number = ""
        self.begun = False

    @property
    def driver(self) -> Driver:
        return driver_of(self.connection)

    def begin(self, c: Claimed) -> bool:
        if self.is_open():
            raise OpenTransactionError("a transaction is open on this connection already; run_tx begins the outermost one")
        self.limits.set(self.connection, self.driver)
        self.begun = True
        self.open()
        number = self.records.claim_own_row(self.connection, self.driver, c)
        self.number = number or ""
        return number is not None

    def commit(self, c: Claimed, result: bytes | None) -> None:
        try:
            self.records.seal_own_row(self.connection, self.driver, c, result, self.number)
        except Exception as error:
            kind = BodyError if answered(error) else NotCommittedError
            raise kind(f"not committed: {error}") from error
        self.close()
        self.begun = False
        self._back()

    def rollback(self) -> None:
        if self.begun:  # never what the application has begun
            self._or_close(self.undo)
        self.begun = False
        self._back()

    def is_open(self) -> bool:
        return self.driver.in_transaction(self.connection)

    def open(self) -> None:
        self.driver.begin(self.connection)

    def close(self) -> None:
        self.driver.commit(self.connection)

    def undo(self) -> None:
        self.driver.rollback(self.connection)

    def _back(self) -> None:
        if self.limits.before:
            self._or_close(lambda: self.limits.undo(self.connection, self.driver))

    def _or_close(self, run: Callable[[], None]) -> None:
        """Whoever gets this connection next must not write into a transaction that is still open."""
        try:
            run()
        except BaseException as error:
            with suppress(Exception):
                self.connection.close()
            if not isinstance(error, Exception):
                raise


class Limits:
    """In MySQL a stopped worker's transaction is ended by settings of the session, undone afterwards.

    Autocommit is off meanwhile, so that what a body writes after its transaction is gone is not
    committed by each statement alone.
    """

    def __init__(self, records: Records) -> None:
        self.records = records
        self.before: tuple[Session, bool] | None = None

    def set(self, connection: Connection, driver: Driver) -> None:
        if driver.dialect != "mysql":
            return
        commits_each = driver.commits_each(connection)
        now = self._read(connection, driver)
        self.before = now, commits_each
        self._limit(connection, driver, now.within(self.records.job.lease), False)

    def undo(self, connection: Connection, driver: Driver) -> None:
        before, self.before = self.before, None
        if before:
            self._limit(connection, driver, *before)

    def _read(self, connection: Connection, driver: Driver) -> Session:
        """Asked of the first connection; those of one application are set alike."""
        if self.records.session is None:
            self.records.session = self.records.mysql_session(connection, driver, own=False)
        return self.records.session

    def _limit(self, connection: Connection, driver: Driver, to: Session, autocommit: bool) -> None:
        self.records.run(connection, driver, "limit", to.wait, to.write, to.statement, autocommit).close()
