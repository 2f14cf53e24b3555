"""The database drivers: how each is asked and told. None is imported unless its connection is here already."""

from __future__ import annotations

import socket
from typing import Any

from .errors import RefusedError

Connection = Any  # of DB-API 2.0: the drivers have no type in common
Cursor = Any


class Driver:
    """What the drivers have in common."""

    dialect = "postgres"
    mark = "%s"

    def cursor(self, connection: Connection) -> Cursor:
        """One that answers plain tuples, whatever the application's own answer."""
        raise NotImplementedError

    def in_transaction(self, connection: Connection) -> bool:
        raise NotImplementedError

    def commit_each(self, connection: Connection) -> None:
        """Makes every statement a transaction of its own."""
        connection.autocommit = True

    def commits_each(self, connection: Connection) -> bool:
        return bool(connection.autocommit)

    def begin(self, connection: Connection) -> None:
        self.execute(connection, "BEGIN")

    def commit(self, connection: Connection) -> None:
        connection.commit()

    def rollback(self, connection: Connection) -> None:
        connection.rollback()

    def execute(self, connection: Connection, sql: str) -> None:
        cursor = self.cursor(connection)
        try:
            self.send(cursor, sql)
        finally:
            cursor.close()

    def send(self, cursor: Cursor, sql: str, *args: Any) -> None:
        cursor.execute(sql, *args)


class Psycopg(Driver):
    """psycopg 3. transaction_status: 0 is idle; 4 is a broken connection, which has no transaction."""

    def cursor(self, connection: Connection) -> Cursor:
        from psycopg.rows import tuple_row

        return connection.cursor(row_factory=tuple_row)

    def in_transaction(self, connection: Connection) -> bool:
        return int(connection.info.transaction_status) not in (0, 4)

    def begin(self, connection: Connection) -> None:
        if connection.autocommit:  # else the driver sends it before the first statement
            self.execute(connection, "BEGIN")

    def send(self, cursor: Cursor, sql: str, *args: Any) -> None:
        """Never prepared: its names are numbers, which behind a pool in transaction mode another worker's have, too."""
        cursor.execute(sql, *args, prepare=False)


class Psycopg2(Psycopg):
    """psycopg 2. Its commit and rollback send nothing for a transaction that it did not begin itself."""

    send = Driver.send

    def cursor(self, connection: Connection) -> Cursor:
        from psycopg2.extensions import cursor

        return connection.cursor(cursor_factory=cursor)

    def commit(self, connection: Connection) -> None:
        if connection.autocommit:
            self.execute(connection, "COMMIT")
        else:
            connection.commit()

    def rollback(self, connection: Connection) -> None:
        if connection.autocommit and not connection.closed and self.in_transaction(connection):
            self.execute(connection, "ROLLBACK")
        else:
            connection.rollback()


class MySQL(Driver):
    """PyMySQL and mysqlclient. In-transaction is a bit of the server's last answer, where the driver shows it."""

    dialect = "mysql"

    def cursor(self, connection: Connection) -> Cursor:
        return connection.cursor(self.plain_cursor())

    def plain_cursor(self) -> type:
        import pymysql.cursors

        return pymysql.cursors.Cursor

    def in_transaction(self, connection: Connection) -> bool:
        return bool(connection.server_status & 1)

    def commit_each(self, connection: Connection) -> None:
        connection.autocommit(True)

    def commits_each(self, connection: Connection) -> bool:
        return bool(connection.get_autocommit())


class MySQLdb(MySQL):
    """mysqlclient shows no status, so the server is asked for what it refuses only within a transaction (1568)."""

    def plain_cursor(self) -> type:
        import MySQLdb.cursors

        return MySQLdb.cursors.Cursor

    def in_transaction(self, connection: Connection) -> bool:
        try:
            self.execute(connection, "SET TRANSACTION READ WRITE")
        except Exception as error:
            if mysql_number(error) == 1568:
                return True
            raise
        return False


class SQLite(Driver):
    dialect = "sqlite"
    mark = "?"

    def cursor(self, connection: Connection) -> Cursor:
        cursor = connection.cursor()
        cursor.row_factory = None
        return cursor

    def in_transaction(self, connection: Connection) -> bool:
        return bool(connection.in_transaction)

    def commit_each(self, connection: Connection) -> None:
        if getattr(connection, "autocommit", None) is False:  # since Python 3.12
            connection.autocommit = True
        connection.isolation_level = None


_DRIVERS: dict[str, Driver] = {
    "psycopg": Psycopg(),
    "psycopg2": Psycopg2(),
    "pymysql": MySQL(),
    "MySQLdb": MySQLdb(),
    "sqlite3": SQLite(),
}


def driver_of(connection: Connection) -> Driver:
    """Also of a subclass, and of a wrapper that says what it wraps."""
    for cls in connection.__class__.__mro__:
        found = _DRIVERS.get(cls.__module__.partition(".")[0])
        if found:
            return found
    known = ", ".join(_DRIVERS)
    raise RefusedError(f"a connection of {connection.__class__.__module__} is not known; known: {known}")


def in_transaction(connection: Connection) -> bool:
    """Whether a transaction is open on the application's connection, or on SQLAlchemy's or Django's account of it.

    Both count one as open before they have sent anything.
    """
    package = type(connection).__module__.partition(".")[0]
    if package == "sqlalchemy":
        joins: Any = getattr(connection, "bind", None)  # a session's own Connection, if it is no Engine
        return any(c.in_transaction() for c in (connection, joins) if hasattr(c, "in_transaction"))
    if hasattr(connection, "in_atomic_block"):
        return bool(connection.in_atomic_block or not connection.get_autocommit())
    return driver_of(connection).in_transaction(connection)


_POSTGRES_BUSY = ("40001", "40P01", "55P03")
# 57014: the server's own time limit. 53300: too many connections. 57P01-57P03: the server
# stops or starts. 57P05: the connection was idle for too long.
_POSTGRES_MAY_CHANGE = (*_POSTGRES_BUSY, "53300", "57014", "57P01", "57P02", "57P03", "57P05")
# 1205, 1213, 3572 and MariaDB's 1020: another transaction was in the way.
_MYSQL_BUSY = (1020, 1205, 1213, 3572)
# 1040, 1203: too many connections. 1047: a cluster's node without its majority. 1053, 1077,
# 1927, 3169, 4031: the server stops, or has ended the connection. 1158-1161: the network. 1317,
# 1969, 3024: the statement was ended by a person or a time limit. 0: PyMySQL's closed connection.
_MYSQL_MAY_CHANGE = (
    *_MYSQL_BUSY, 0, 1040, 1047, 1053, 1077, 1158, 1159, 1160, 1161, 1203, 1317, 1927, 1969, 3024, 3169, 4031,
)  # fmt: skip


def busy(error: BaseException) -> bool:
    """A claim failed only because another transaction was in the way."""
    state, number = sqlstate(error), mysql_number(error)
    return state in _POSTGRES_BUSY or number in _MYSQL_BUSY or _sqlite_busy(error)


def may_change(error: BaseException) -> bool:
    """The same statement may be answered when it is sent again: the database was busy, or its reply was lost."""
    if isinstance(error, (ConnectionError, TimeoutError, socket.timeout)):
        return True
    module = _module(error)
    number = mysql_number(error)
    if number is not None:
        return number in _MYSQL_MAY_CHANGE or 2000 <= number < 3000  # these are the client's, about the connection
    state = sqlstate(error)
    if state is not None:
        return state in _POSTGRES_MAY_CHANGE or state[:2] == "08"
    if module in ("psycopg", "psycopg2"):  # without a code it comes from the connection, unless the driver refused
        return type(error).__name__ not in ("ProgrammingError", "NotSupportedError", "DataError")
    return (module in ("pymysql", "MySQLdb") and type(error).__name__ == "InterfaceError") or _sqlite_busy(error)


def answered(error: BaseException) -> bool:
    """The database answered with a code of its own, and not only that it, or the connection, is going."""
    number = mysql_number(error)
    if number is not None:
        return number in _MYSQL_BUSY or not may_change(error)
    state = sqlstate(error)
    return state[:2] != "08" and state[:3] != "57P" if state else _module(error) == "sqlite3"


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


def sqlstate(error: BaseException) -> str | None:
    state = getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)
    return state if isinstance(state, str) else None


def mysql_number(error: BaseException) -> int | None:
    """The server's number of an error, or the client's own."""
    number = error.args[0] if error.args and _module(error) in ("pymysql", "MySQLdb") else None
    return number if isinstance(number, int) else None


def _sqlite_busy(error: BaseException) -> bool:
    """5 SQLITE_BUSY, 6 SQLITE_LOCKED, with their extended forms; before Python 3.11 there is only the text."""
    if _module(error) != "sqlite3":
        return False
    code = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF in (5, 6) if isinstance(code, int) else " is locked" in str(error)
