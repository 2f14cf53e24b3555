"""The guard's own connections: every statement on them is a transaction of its own."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from .driver import Connection, Driver, driver_of
from .errors import NotConnectedError, OpenTransactionError, cause_of
from .resend import interrupted


class _Free(list[Connection]):
    """Closes what is left in it when its thread or greenlet ends, but nothing that was opened before a fork."""

    def __init__(self) -> None:
        super().__init__()
        self.process = os.getpid()

    def __del__(self) -> None:
        while self and self.process == os.getpid():
            with suppress(Exception):
                self.pop().close()


class OwnConnections:
    """Lends each connection to one statement at a time.

    They are kept by process: one that was opened before a fork is never used, or closed, after it,
    since both would speak on the parent's socket. What failed is closed, and the next statement
    goes over another one. SQLite's are kept by thread or greenlet as well, since they refuse others,
    and are closed with it.
    """

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._everybodys: dict[int, _Free] = {}
        self._here = threading.local()
        self.driver: Driver | None = None
        self.check: Callable[[Connection, Driver], None] = lambda connection, driver: None

    def _free(self) -> _Free:
        sqlite = self.driver and self.driver.dialect == "sqlite"
        by_process: dict[Any, _Free] = self._here.__dict__ if sqlite else self._everybodys
        return by_process.setdefault(os.getpid(), _Free())

    @contextmanager
    def lend(self) -> Iterator[tuple[Connection, Driver]]:
        # No lock: append and pop are whole by themselves, and a lock could be held across a fork.
        try:
            connection = self._free().pop()
        except IndexError:
            connection = self._open()
        with _closed_on_error(connection):
            yield connection, driver_of(connection)
        self._free().append(connection)

    def _open(self) -> Connection:
        try:
            connection = self._connect()
        except Exception as error:
            if interrupted(error):  # whatever it was, no statement was sent
                raise NotConnectedError(f"connect: {cause_of(error)}") from error
            raise
        driver = self.driver = driver_of(connection)
        if driver.in_transaction(connection):  # somebody else's, so it is not closed either
            raise OpenTransactionError("connect gave a connection with an open transaction; give the guard one of its own")
        with _closed_on_error(connection):
            driver.commit_each(connection)
            self.check(connection, driver)
        return connection

    def close(self) -> None:
        """Closes this process's free connections, or in SQLite this thread's."""
        self._free().__del__()


@contextmanager
def _closed_on_error(connection: Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with suppress(Exception):
            connection.close()
        raise
