"""Connections that are cut, refused or stopped at a statement. Below them are the real driver and database."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from twiceproof.driver import driver_of, in_transaction
from twiceproof.statements import TABLE, statement


@dataclass
class Strike:
    """kind: request, reply, refuse or pause; it strikes the nth sending from now, once."""

    verb: str
    kind: str
    nth: int = 1
    fired: bool = False


class Faults:
    def __init__(self, dialect: str, mark: str) -> None:
        names = [f.name[:-4] for f in (files("twiceproof") / "data" / dialect).iterdir() if f.name.endswith(".sql")]
        self.verbs = {statement(dialect, name, TABLE, mark).sql: name for name in names}
        self.verbs.update({"BEGIN": "begin", "COMMIT": "commit"})
        self.verbs.pop("", None)
        self.strikes: list[Strike] = []
        self.pause: Callable[[], None] = lambda: None
        self._lock = threading.Lock()

    def at(self, verb: str) -> list[Strike]:
        """What strikes this sending."""
        with self._lock:
            due = []
            for s in self.strikes:
                if s.verb == verb and not s.fired:
                    s.nth -= 1
                    s.fired = s.nth == 0
                    due += [s] if s.fired else []
            return due


class Faulty:
    """A connection; it says that it is the one that it wraps."""

    def __init__(self, real: Any, faults: Faults) -> None:
        self.__dict__.update(real=real, faults=faults)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(self.real)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.real, name, value)

    def cursor(self, *args: Any, **kwargs: Any) -> FaultyCursor:
        return FaultyCursor(self, self.real.cursor(*args, **kwargs))

    def commit(self) -> None:
        self.around("commit", self.real.commit)

    def around(self, verb: str, run: Callable[[], Any]) -> Any:
        due = {s.kind for s in self.faults.at(verb)}
        if "pause" in due:
            self.faults.pause()
        if "request" in due:
            raise self.cut()
        if "refuse" in due:
            run = self.refused
        done = run()
        if "reply" in due:
            raise self.cut()
        return done

    def refused(self) -> None:
        driver_of(self.real).execute(self.real, "SELECT a_column_that_is_not_there FROM idempotency_records")

    def cut(self) -> Exception:
        """The driver's own error of a lost connection. What was open is rolled back, as the server does by itself."""
        with suppress(Exception):
            driver = driver_of(self.real)
            if in_transaction(self.real):
                driver.rollback(self.real)
        if driver_of(self.real).dialect == "sqlite":
            self.real.close()
            return ConnectionResetError("cut")
        _shut(self.real)
        try:
            self.real.cursor().execute("SELECT 1")
        except Exception as error:
            return error
        raise AssertionError("the connection is not cut")


def _shut(real: Any) -> None:
    with socket.socket(fileno=real._sock.fileno() if hasattr(real, "_sock") else real.fileno()) as s:
        s.shutdown(socket.SHUT_RDWR)
        s.detach()


class FaultyCursor:
    def __init__(self, connection: Faulty, real: Any) -> None:
        self.__dict__.update(connection=connection, real=real)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.real, name, value)

    def execute(self, sql: str, *args: Any, **kwargs: Any) -> Any:
        verb = self.connection.faults.verbs.get(sql, "")
        if verb == "claim_own_row" and not in_transaction(self.connection.real):  # a driver that begins by itself
            self.connection.around("begin", lambda: None)
        return self.connection.around(verb, lambda: self.real.execute(sql, *args, **kwargs))
