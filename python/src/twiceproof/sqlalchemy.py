"""A row of one's own within the transaction of a SQLAlchemy session."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session, scoped_session

from .errors import BodyError, RefusedError
from .guard import Guard
from .record import Claimed
from .transaction import OwnTransaction


class SessionTransaction(OwnTransaction):
    """The session's own outermost transaction; a scoped_session gives the session of this thread.

    What the session still has to write is flushed before the commit.
    """

    def __init__(self, guard: Guard, session: Session | scoped_session[Any]) -> None:
        self.session: Session = session() if isinstance(session, scoped_session) else session
        if self.session.in_transaction():  # also after a SELECT
            raise RefusedError("a transaction is open on this session already; commit it first")
        self.root = self.session.begin()
        try:
            super().__init__(self.session.connection().connection.dbapi_connection, guard.records)
        except BaseException:
            self.session.rollback()
            raise

    def is_open(self) -> bool:
        return self.session.get_transaction() is not self.root

    def open(self) -> None:
        """The session's connection waits for its first statement, which is the claim."""

    def commit(self, c: Claimed, result: bytes | None) -> None:
        if self.is_open() or not self.root.is_active:
            raise BodyError("not committed: the body had ended the session's transaction")
        try:
            self.session.flush()
        except Exception as error:
            raise BodyError(f"not committed: {error}") from error
        super().commit(c, result)

    def close(self) -> None:
        """The limits go back while the connection is still the session's, and never before the end of the
        transaction: setting autocommit on commits what is open."""
        super().close()
        self._back()
        self.session.commit()

    def rollback(self) -> None:
        if self.session.get_transaction() is self.root:
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
