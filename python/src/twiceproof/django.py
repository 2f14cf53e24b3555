"""A row of one's own within Django's transaction.atomic()."""

from __future__ import annotations

import logging

from django.db import connections, transaction

from .driver import in_transaction
from .errors import BodyError
from .guard import Guard
from .record import Claimed
from .transaction import OwnTransaction

log = logging.getLogger("twiceproof")


class Atomic(OwnTransaction):
    """The outermost atomic block of a database, over the connection that the ORM uses in this thread.

    What on_commit() was given runs after the commit, as ever. Where it raises, the row is there all the
    same: an error in the log tells of it.
    """

    def __init__(self, guard: Guard, using: str = "default") -> None:
        self.django = connections[using]
        self.django.ensure_connection()
        super().__init__(self.django.connection, guard.records)
        self.block = transaction.Atomic(using, savepoint=True, durable=True)
        self.committed = False

    def is_open(self) -> bool:
        return in_transaction(self.django)

    def open(self) -> None:
        self.block.__enter__()
        if self.django.connection is not self.connection:
            raise ConnectionError("Django has connected again")
        transaction.on_commit(self._commits, using=self.django.alias)  # the first one

    def _commits(self) -> None:
        self.committed = True

    def commit(self, c: Claimed, result: bytes | None) -> None:
        """Django itself rolls a block back, without a word, after an error of the database that the body swallowed."""
        if not self.django.in_atomic_block or self.django.needs_rollback:
            raise BodyError("not committed: the body had ended the transaction, or swallowed an error of the database")
        super().commit(c, result)

    def close(self) -> None:
        try:
            self.block.__exit__(None, None, None)
        except Exception as error:
            if not self.committed:
                raise
            text = "%s: committed, but what on_commit() was given raised, and what came after it was not run"
            log.error(text, self.records.job.type, exc_info=error)

    def undo(self) -> None:
        if self.django.in_atomic_block:
            error = BodyError("rolled back")
            self.block.__exit__(BodyError, error, None)
        if self.is_open():  # a time limit struck within Django's own account of it
            raise ConnectionError("Django has not ended its transaction")

    def drop(self) -> None:
        """Django makes a new one, with an account of its own."""
        if self.django.connection is self.connection:
            self.django.connection = None
        super().drop()
