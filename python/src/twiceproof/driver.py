"""The database drivers: how each is asked and told. None is imported unless its connection is here already."""

from __future__ import annotations

import socket
from importlib import import_module
from typing import Any

from .errors import RefusedError

Connection = Any  # of DB-API 2.0: the drivers have no type in common
Cursor = Any


class Driver:
    """What drivers have in common, where they do not differ."""

    dialect = "postgres"
    mark = "%s"

    def cursor(self, connection: Connection) -> Cursor:
        """One that answers plain tuples, whatever the application's own answer."""
        return connection.cursor()

    def in_transaction(self, connection: Connection) -> bool:
        return bool(connection.in_transaction)

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

    cursors = "pymysql.cursors"

    def cursor(self, connection: Connection) -> Cursor:
        return connection.cursor(import_module(self.cursors).Cursor)

    def in_transaction(self, connection: Connection) -> bool:
        return bool(connection.open and connection.server_status & 1)  # a closed one keeps its last answer

    def commit_each(self, connection: Connection) -> None:
        connection.autocommit(True)

    def commits_each(self, connection: Connection) -> bool:
        return bool(connection.get_autocommit())


class MySQLdb(MySQL):
    """mysqlclient shows no status, so the server is asked for what it refuses only within a transaction (1568)."""

    cursors = "MySQLdb.cursors"

    def in_transaction(self, connection: Connection) -> bool:
        try:
            self.execute(connection, "SET TRANSACTION READ WRITE")
        except Exception as error:
            if code_of(error) == 1568:
                return True
            raise
        return False


class SQLite(Driver):
    dialect = "sqlite"
    mark = "?"

    def cursor(self, connection: Connection) -> Cursor:
        cursor = super().cursor(connection)
        cursor.row_factory = None
        return cursor

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
