"""The guard's own connections: every statement on them is a transaction of its own."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from .driver import Connection, Driver, driver_of
from .errors import NotConnectedError, OpenTransactionError, cause_of
from .resend import interrupted

Free = dict[tuple[int, int], list[Connection]]  # by process and user


class OwnConnections:
    """Lends each connection to one statement at a time.

    They are kept by process: one that was opened before a fork is never used, or closed, after it,
    since both would speak on the parent's socket. What failed is closed, and the next statement
    goes over another one. SQLite's are kept by thread or greenlet as well, since they refuse others,
    and are closed with it.
    """

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._free: Free = {}
        self._here = threading.local()
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
        if self.driver is None or self.driver.dialect != "sqlite":
            return os.getpid(), 0
        if not hasattr(self._here, "user"):
            self._here.user = _User(self._free)
        return os.getpid(), self._here.user.number

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
        """Closes this process's free connections."""
        for (pid, _), free in list(self._free.items()):
            if pid == os.getpid():
                _close(free)


_numbers = itertools.count(1)  # 0 is anybody


class _User:
    """A thread or a greenlet, by a number that no later one has. Kept by it alone, so this goes when it ends."""

    def __init__(self, free: Free) -> None:
        self.number = next(_numbers)
        self.free = free

    def __del__(self) -> None:
        _close(self.free.pop((os.getpid(), self.number), []))


def _close(free: list[Connection]) -> None:
    while free:
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
