"""The transaction that holds an own row's claim, effect and completion."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from .driver import Connection, Driver, driver_of
from .errors import BodyError, NotCommittedError, OpenTransactionError
from .failure import answered, of_driver
from .mysql import Session
from .record import Claimed
from .records import Records


class OwnTransaction:
    """On the application's connection, with its driver's own begin and commit.

    A framework that keeps an account of its transactions gives its own is_open, open, close and undo.
    Nothing is opened before begin, which comes after the key was read.
    """

    def __init__(self, connection: Connection, records: Records) -> None:
        self.connection = connection
        self.records = records
        self.number = ""
        self.begun = self.sealed = False
        self.before: tuple[Session, bool] | None = None

    @property
    def driver(self) -> Driver:
        return driver_of(self.connection)

    def begin(self, c: Claimed) -> bool:
        """Opens the outermost transaction, with the claim as its first statement. False: nothing was claimed."""
        try:
            opened = self.is_open()
            if self.driver.dialect == "mysql" and not opened:
                self._limit()
        except Exception as error:
            if of_driver(error) and not answered(error):  # whoever keeps a lost one would be given it for ever
                with suppress(Exception):
                    self.drop()
            raise
        if opened:
            raise OpenTransactionError("a transaction is open on this connection already; run_tx begins the outermost one")
        self.begun = True
        self.open()
        number = self.records.claim_own_row(self.connection, self.driver, c)
        self.number = number or ""
        return number is not None

    def commit(self, c: Claimed, result: bytes | None) -> None:
        """Sends the seal, then commits; NotCommittedError means that it surely did not."""
        try:
            self.records.seal_own_row(self.connection, self.driver, c, result, self.number)
        except Exception as error:
            kind = BodyError if answered(error) else NotCommittedError
            raise kind(f"not committed: {error}") from error
        self.sealed = True
        self.close()
        self.begun = False
        self._back()

    def rollback(self) -> None:
        """Ends the transaction if it is open, and never what the application has begun."""
        if self.begun:
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

    def _limit(self) -> None:
        """In MySQL a stopped worker's transaction is ended by settings of the session, undone afterwards.

        Autocommit is off meanwhile, so that what a body writes after its transaction is gone is not
        committed by each statement alone. What is set is asked of the first connection; those of one
        application are set alike.
        """
        commits_each = self.driver.commits_each(self.connection)
        if self.records.session is None:
            self.records.session = self.records.mysql_session(self.connection, self.driver, own=False)
        self.before = self.records.session, commits_each
        self._set(self.records.session.within(self.records.job.lease), False)

    def _back(self) -> None:
        before = self.before
        if before:
            self._or_close(lambda: self._set(*before))
        self.before = None

    def _set(self, to: Session, autocommit: bool) -> None:
        self.records.run(self.connection, self.driver, "limit", to.wait, to.write, to.statement, autocommit).close()

    def _or_close(self, run: Callable[[], None]) -> None:
        """Whoever gets this connection next must not write into a transaction that is still open."""
        try:
            run()
        except BaseException as error:
            with suppress(Exception):
                self.drop()
            if not isinstance(error, Exception):
                raise

    def drop(self) -> None:
        self.connection.close()
