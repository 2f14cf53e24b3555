"""What a failure of the database means, by the code that it gives."""

from __future__ import annotations

import socket

from .errors import RefusedError

_DRIVERS = ("psycopg", "psycopg2", "pymysql", "MySQLdb", "sqlite3")
# Another transaction was in the way: PostgreSQL's states; MySQL's numbers, 1020 MariaDB's; SQLITE_BUSY and SQLITE_LOCKED.
_BUSY = ("40001", "40P01", "55P03", 1020, 1205, 1213, 3572, 5, 6)
_MAY_CHANGE = (
    *_BUSY,
    "53300", 1040, 1203,  # too many connections
    "57014", 1317, 1969, 3024,  # the statement was ended by a person or a time limit
    "57P01", "57P02", "57P03", 1053, 1077,  # the server stops or starts
    "57P05", 1927, 3169, 4031,  # it has ended the connection, which may have been idle for too long
    1047,  # a cluster's node without its majority
    1158, 1159, 1160, 1161,  # the network
    0,  # PyMySQL's closed connection
)  # fmt: skip


def code_of(error: BaseException) -> str | int | None:
    """The database's own, or MySQL's client's. Before Python 3.11 SQLite's has only a text."""
    module = _module(error)
    if module == "sqlite3":
        code = getattr(error, "sqlite_errorcode", 5 if " is locked" in str(error) else 1)
        return code & 0xFF
    if module in ("pymysql", "MySQLdb"):
        code = error.args[0] if error.args else None
        return code if isinstance(code, int) else None
    return getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)


def busy(error: BaseException) -> bool:
    """A claim failed only because another transaction was in the way."""
    return code_of(error) in _BUSY


def may_change(error: BaseException) -> bool:
    """The same statement may be answered when it is sent again: the database was busy, or its reply was lost."""
    code = code_of(error)
    if isinstance(code, str):
        return code in _MAY_CHANGE or code.startswith("08")
    if isinstance(code, int):
        return code in _MAY_CHANGE or 2000 <= code < 3000  # these are the client's, about the connection
    name = type(error).__name__
    if _module(error) in ("psycopg", "psycopg2"):  # without a code it comes from the connection, unless the driver refused
        return name not in ("ProgrammingError", "NotSupportedError", "DataError")
    return isinstance(error, (ConnectionError, TimeoutError, socket.timeout)) or (
        bool(_module(error)) and name == "InterfaceError"
    )


def answered(error: BaseException) -> bool:
    """The database answered with a code of its own, and not only that it, or the connection, is going."""
    code = code_of(error)
    if isinstance(code, str):
        return not code.startswith(("08", "57P"))
    return isinstance(code, int) and (code in _BUSY or not may_change(error))


def lasting(error: BaseException | None) -> bool:
    """Somebody must act, as where the table, a column or a permission is missing, or a transaction was left open."""
    while error is not None:
        if isinstance(error, RefusedError) or (answered(error) and not may_change(error)):
            return True
        error = error.__cause__
    return False


def of_driver(error: BaseException) -> bool:
    """Also one that Django or SQLAlchemy has raised from a driver's."""
    return bool(_module(error) or (error.__cause__ and _module(error.__cause__)))


def _module(error: BaseException) -> str:
    modules = (cls.__module__.partition(".")[0] for cls in type(error).__mro__)
    return next((m for m in modules if m in _DRIVERS), "")
