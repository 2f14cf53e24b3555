"""A database and a driver: how to connect, and what differs between them in a test."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import servers
from twiceproof.driver import driver_of
from twiceproof.statements import statement

Connection = Any
_STARTED: dict[str, servers.Server] = {}


class Database:
    dialect = "postgres"
    now = "statement_timestamp()"

    def __init__(self, name: str, commits_each: bool) -> None:
        self.name = name
        self.commits_each = commits_each  # how the application's connections are set
        self._looking: Connection = None

    def server(self) -> servers.Server:
        if self.dialect not in _STARTED:
            started = {"postgres": servers.postgres, "mysql": servers.mariadb}[self.dialect]()
            _STARTED[self.dialect] = started
            started.wait(lambda: self.connect(""))
            first = self.connect("")
            driver_of(first).commit_each(first)
            first.cursor().execute("CREATE DATABASE tests")
            first.close()
        return _STARTED[self.dialect]

    def address(self) -> int | str:
        """Where workers find it: a port, or a file."""
        return self.server().port

    def connect(self, database: str = "tests") -> Connection:
        raise NotImplementedError

    def application(self) -> Connection:
        """One as the application has it."""
        connection = self.connect()
        if self.commits_each:
            driver_of(connection).commit_each(connection)
        return connection

    def execute(self, sql: str, *args: Any) -> Sequence[Any]:
        """Over a connection of the test's own."""
        if self._looking is None:
            self._looking = self.connect()
            driver_of(self._looking).commit_each(self._looking)
        cursor = self._looking.cursor()
        if args:
            cursor.execute(sql.replace("?", driver_of(self._looking).mark), args)
        else:
            cursor.execute(sql)
        rows = list(cursor.fetchall()) if cursor.description else []
        cursor.close()
        return rows

    def close(self) -> None:
        if self._looking is not None:
            self._looking.close()
            self._looking = None

    def create(self) -> None:
        self.server()
        for table in ("idempotency_records", "effects"):
            self.execute(f"DROP TABLE IF EXISTS {table}")
        self.execute(statement(self.dialect, "schema", "idempotency_records", "?").sql)
        self.execute("CREATE TABLE effects (job VARCHAR(64), item VARCHAR(64))")

    def older(self, column: str, milliseconds: int) -> str:
        """SQL that puts a time back."""
        return f"{column} = {column} - {milliseconds} * interval '1 millisecond'"

    def left(self, milliseconds: int) -> str:
        """SQL that leaves so much of the lease."""
        return f"claimed_at = {self.now} - (lease_ms - {milliseconds}) * interval '1 millisecond'"


class Psycopg(Database):
    def connect(self, database: str = "tests") -> Connection:
        import psycopg

        return psycopg.connect(
            f"postgresql://postgres@127.0.0.1:{self.server_port()}/{database or 'postgres'}", connect_timeout=5
        )

    def server_port(self) -> int:
        return _STARTED[self.dialect].port


class Psycopg2(Psycopg):
    def connect(self, database: str = "tests") -> Connection:
        import psycopg2

        return psycopg2.connect(
            f"postgresql://postgres@127.0.0.1:{self.server_port()}/{database or 'postgres'}", connect_timeout=5
        )


class PyMySQL(Database):
    dialect = "mysql"
    now = "UTC_TIMESTAMP(6)"

    def connect(self, database: str = "tests") -> Connection:
        import pymysql

        return pymysql.connect(
            host="127.0.0.1", port=_STARTED["mysql"].port, user="root", database=database or None, read_timeout=5, write_timeout=5
        )

    def older(self, column: str, milliseconds: int) -> str:
        return f"{column} = {column} - INTERVAL {1000 * milliseconds} MICROSECOND"

    def left(self, milliseconds: int) -> str:
        return f"claimed_at = {self.now} - INTERVAL (1000 * (lease_ms - {milliseconds})) MICROSECOND"


class MySQLdb(PyMySQL):
    def connect(self, database: str = "tests") -> Connection:
        import MySQLdb

        return MySQLdb.connect(host="127.0.0.1", port=_STARTED["mysql"].port, user="root", database=database)


class SQLite(Database):
    dialect = "sqlite"

    def server(self) -> servers.Server:
        if not hasattr(self, "folder"):
            self.folder = tempfile.TemporaryDirectory(prefix="twiceproof-")
            self.execute("PRAGMA journal_mode = WAL")
        return None  # type: ignore[return-value]

    def address(self) -> str:
        return f"{self.folder.name}/test.db"

    def connect(self, _: str = "tests") -> Connection:
        import sqlite3

        return sqlite3.connect(self.address(), check_same_thread=False)

    def older(self, column: str, milliseconds: int) -> str:
        return f"{column} = {column} - {milliseconds}"

    def close(self) -> None:
        super().close()
        self.folder.cleanup()

    def left(self, milliseconds: int) -> str:
        now = "CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER)"
        return f"claimed_at = {now} - (lease_ms - {milliseconds})"


def installed() -> list[Database]:
    """mysqlclient has to be compiled, so it is tested where it is there; the others always."""
    found: list[Database] = [
        Psycopg("psycopg", commits_each=True),
        Psycopg2("psycopg2", commits_each=False),
        PyMySQL("pymysql", commits_each=False),
        SQLite("sqlite3", commits_each=False),
    ]
    if importlib.util.find_spec("MySQLdb"):
        found.append(MySQLdb("mysqlclient", commits_each=True))
    return found


@contextmanager
def stopping() -> Iterator[None]:
    try:
        yield
    finally:
        for server in _STARTED.values():
            server.end()
        for server in _STARTED.values():
            server.ended()
        _STARTED.clear()
