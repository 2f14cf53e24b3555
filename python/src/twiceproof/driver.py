"""The database drivers: how each is asked and told. None is imported unless its connection is here already."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .errors import RefusedError
from .failure import code_of

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
