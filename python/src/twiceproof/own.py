"""The guard's own connections: every statement on them is a transaction of its own."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from .driver import Connection, Driver, driver_of
from .errors import RefusedError


class OwnConnections:
    """Lends each connection to one statement at a time.

    They are kept by process: one that was opened before a fork is never used, or closed, after it,
    since both would speak on the parent's socket. What failed is closed, and the next statement
    goes over another one. SQLite's are kept by thread as well, since they refuse others.
    """

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._free: dict[tuple[int, int], list[Connection]] = {}
        self.driver: Driver | None = None
        self.check: Callable[[Connection, Driver], None] = lambda connection, driver: None

    @contextmanager
    def lend(self) -> Iterator[tuple[Connection, Driver]]:
        # No lock: append and pop are whole by themselves, and a lock could be held across a fork.
        free = self._free.setdefault(self._place(), [])
        try:
            connection = free.pop()
        except IndexError:
            connection = self._open()
        with _closed_on_error(connection):
            yield connection, driver_of(connection)
        self._free.setdefault(self._place(), []).append(connection)

    def _place(self) -> tuple[int, int]:
        by_thread = self.driver is not None and self.driver.dialect == "sqlite"
        return os.getpid(), threading.get_ident() if by_thread else 0

    def _open(self) -> Connection:
        connection = self._connect()
        driver = self.driver = driver_of(connection)
        if driver.in_transaction(connection):  # somebody else's, so it is not closed either
            raise RefusedError("connect gave a connection with an open transaction; give the guard one of its own")
        with _closed_on_error(connection):
            driver.commit_each(connection)
            self.check(connection, driver)
        return connection

    def close(self) -> None:
        """Closes this process's free connections."""
        for (pid, _), free in list(self._free.items()):
            while pid == os.getpid() and free:
                with suppress(Exception):
                    free.pop().close()


@contextmanager
def _closed_on_error(connection: Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with suppress(Exception):
            connection.close()
        raise
