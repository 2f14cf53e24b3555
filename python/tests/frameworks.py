"""What the tests do with a framework's transaction."""

from __future__ import annotations

import contextlib
from typing import Any

from databases import Database
from twiceproof import Guard
from twiceproof.transaction import OwnTransaction


class Framework:
    """How one framework opens its transaction, executes in it, and does what a body must not do."""

    def transaction(self, g: Guard) -> OwnTransaction:
        raise NotImplementedError

    def execute(self, sql: str) -> None:
        raise NotImplementedError

    def commit(self) -> None:
        raise NotImplementedError

    def roll_back(self) -> None:
        raise NotImplementedError

    def outer(self) -> contextlib.AbstractContextManager[Any]:
        """A transaction that is open already."""
        raise NotImplementedError

    def account(self) -> Any:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


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
        port = database.server().port
        connections.databases["default"].update(
            ENGINE="django.db.backends.postgresql", HOST="127.0.0.1", PORT=port, USER="postgres", NAME="tests"
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
