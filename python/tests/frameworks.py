"""What the tests do with a framework's transaction."""

from __future__ import annotations

import abc
import contextlib
from typing import Any

from databases import Database
from twiceproof import Guard, Job
from twiceproof.transaction import OwnTransaction

INSERT = "INSERT INTO effects (job, item) VALUES ('{}', '{}')"
Own = tuple[Job, Guard]


def rows(database: Database, job: Job) -> int:
    return int(database.execute(f"SELECT COUNT(*) FROM effects WHERE job = '{job.type}'")[0][0])


def effect_class() -> Any:
    from sqlalchemy import Column, String
    from sqlalchemy.orm import declarative_base

    base: Any = declarative_base()

    class Effect(base):  # type: ignore[misc]
        __tablename__ = "effects"
        job = Column(String, primary_key=True)
        item = Column(String, primary_key=True)

    return Effect


class Framework(abc.ABC):
    """How one framework opens its transaction, executes in it, and does what a body must not do."""

    @abc.abstractmethod
    def transaction(self, g: Guard) -> OwnTransaction: ...

    @abc.abstractmethod
    def execute(self, sql: str) -> None: ...

    @abc.abstractmethod
    def number(self, sql: str) -> int:
        """What is asked of the connection that the next transaction will have."""

    @abc.abstractmethod
    def commit(self) -> None: ...

    @abc.abstractmethod
    def roll_back(self) -> None: ...

    @abc.abstractmethod
    def outer(self) -> contextlib.AbstractContextManager[Any]:
        """A transaction that is open already."""

    @abc.abstractmethod
    def account(self) -> Any: ...

    @abc.abstractmethod
    def close(self) -> None: ...


class SQLAlchemy(Framework):
    def __init__(self, database: Database, **settings: Any) -> None:
        import sqlalchemy
        from sqlalchemy.orm import scoped_session, sessionmaker

        url = {"postgres": f"postgresql+{database.name}", "mysql": "mysql+pymysql", "sqlite": "sqlite"}[database.dialect]
        self.engine = sqlalchemy.create_engine(f"{url}://", creator=database.connect, **settings)
        self.session = scoped_session(sessionmaker(self.engine))
        self.text = sqlalchemy.text

    def transaction(self, g: Guard) -> OwnTransaction:
        from twiceproof.sqlalchemy import SessionTransaction

        return SessionTransaction(g, self.session)

    def execute(self, sql: str) -> None:
        self.session.execute(self.text(sql))

    def number(self, sql: str) -> int:
        found = int(self.session.execute(self.text(sql)).scalar_one())
        self.session.remove()
        return found

    def commit(self) -> None:
        self.session.commit()

    def roll_back(self) -> None:
        self.session.rollback()

    def outer(self) -> contextlib.AbstractContextManager[Any]:
        return self.session.begin()

    def account(self) -> Any:
        return self.session()

    def close(self) -> None:
        self.session.remove()
        self.engine.dispose()


class Django(Framework):
    def __init__(self, database: Database) -> None:
        import django
        from django.conf import settings
        from django.db import connections

        if not settings.configured:
            settings.configure(DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3"}})
            django.setup()
        engine, user = "postgresql", "postgres"
        if database.dialect == "mysql":
            import pymysql

            pymysql.install_as_MySQLdb()
            engine, user = "mysql", "root"
        connections.databases["default"].update(
            ENGINE=f"django.db.backends.{engine}", HOST="127.0.0.1", PORT=database.server().port, USER=user, NAME="tests"
        )
        with contextlib.suppress(AttributeError):
            del connections["default"]
        self.connection = connections["default"]

    def transaction(self, g: Guard) -> OwnTransaction:
        from twiceproof.django import Atomic

        return Atomic(g)

    def execute(self, sql: str) -> None:
        with self.connection.cursor() as cursor:
            cursor.execute(sql)

    def number(self, sql: str) -> int:
        with self.connection.cursor() as cursor:
            cursor.execute(sql)
            return int(cursor.fetchone()[0])

    def commit(self) -> None:
        self.connection.connection.commit()  # Django refuses its own within atomic

    def roll_back(self) -> None:
        self.connection.connection.rollback()

    def outer(self) -> contextlib.AbstractContextManager[Any]:
        from django.db import transaction

        return transaction.atomic()  # type: ignore[no-any-return]

    def account(self) -> Any:
        return self.connection

    def close(self) -> None:
        self.connection.close()
