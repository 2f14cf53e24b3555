"""A row of one's own within the transaction of a SQLAlchemy session."""

from __future__ import annotations

import logging
from typing import Any

from sqlalchemy import event, orm
from sqlalchemy.orm import Session, scoped_session

from .driver import in_transaction
from .errors import BodyError, NotStoredError, OpenTransactionError, RefusedError
from .guard import Guard
from .record import Claimed
from .transaction import OwnTransaction

log = logging.getLogger("twiceproof")
LEFT_ALONE = "it must neither commit, roll back nor close the session, as `with Session() as session:` does at its end"


class SessionTransaction(OwnTransaction):
    """The session's own outermost transaction; a scoped_session gives the session of this thread.

    What the session still has to write, and what listeners of before_commit do, comes before the seal.
    Where a listener of after_commit raises, the row is there all the same: an error in the log tells of it.
    A time limit may strike within SQLAlchemy, too, and leave a session that can neither be rolled back nor closed.
    """

    def __init__(self, guard: Guard, session: Session | scoped_session[Any]) -> None:
        super().__init__(None, guard.records)
        self.given = session
        self.session: Session = session() if isinstance(session, scoped_session) else session
        if not isinstance(self.session, Session):
            raise RefusedError(f"{type(session).__name__} is no session: give the scoped_session that the body uses, too")
        self.entered = False
        self.root: orm.SessionTransaction | None = None

    def begin(self, c: Claimed) -> bool:
        if self.session.twophase:  # its COMMIT PREPARED passes by the event before which the seal is sent
            raise RefusedError("a session with twophase=True cannot hold an own row; give it one without")
        if in_transaction(self.session):  # also after a SELECT
            raise OpenTransactionError("a transaction is open on this session, or its connection, already; commit it first")
        self.entered = True
        self.root = self.session.begin()
        try:
            self.pooled = self.session.connection().connection
            self.connection = self.pooled.dbapi_connection
        except Exception as error:
            raise NotStoredError(f"connection: {error}") from error
        return super().begin(c)

    def is_open(self) -> bool:
        return self.session.get_transaction() is not self.root

    def open(self) -> None:
        """Not left to the session: with isolation_level="AUTOCOMMIT" it begins nothing, and the claim would commit alone."""
        if not self.driver.in_transaction(self.connection):
            super().open()

    def commit(self, c: Claimed, result: bytes | None) -> None:
        if self.root is None or self.is_open() or not self.root.is_active:
            raise BodyError(f"not committed: the body had ended the session's transaction; {LEFT_ALONE}")

        def last(_: Any) -> None:
            """After every flush and listener. The limits go back while the connection is still the session's, and never
            before the end of the transaction: setting autocommit on commits what is open."""
            super(SessionTransaction, self).commit(c, result)

        connection = self.session.connection()
        event.listen(connection, "commit", last)
        try:
            self.session.commit()
        except Exception as error:
            if self.begun:
                raise
            self._or_close(self.session.close)
            log.error("%s: committed, but a listener raised after that", self.records.job.type, exc_info=error)
        finally:
            event.remove(connection, "commit", last)

    def rollback(self) -> None:
        if not self.entered:
            return
        if self.root in (None, self.session.get_transaction()):
            if self.begun:
                self._or_close(self.undo)
            self._back()
            self._or_close(self.session.rollback)
        elif self.begun:  # what the body has written since it ended the transaction
            self._or_close(self._roll_back_body)
        self.begun = False

    def _roll_back_body(self) -> None:
        """The pool may have given the connection to somebody else meanwhile; then its limits stay."""
        self.session.rollback()
        if self.session.connection().connection.dbapi_connection is self.connection:
            self._back()
        self.session.rollback()

    def drop(self) -> None:
        """The next delivery is given a new session, and nobody this connection."""
        if isinstance(self.given, scoped_session):
            self.given.registry.clear()
        self.pooled.invalidate()
