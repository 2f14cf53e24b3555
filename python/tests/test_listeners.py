"""What a framework calls around the commit of an own row: listeners of SQLAlchemy, callbacks of Django."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from frameworks import INSERT, Django, Own, SQLAlchemy, effect_class, rows

from databases import Database
from jobs import order
from twiceproof import BodyError, Job, NotStoredError
from twiceproof.driver import in_transaction


@pytest.fixture
def listened(database: Database, own: Own) -> Iterator[Callable[..., Any]]:
    """Runs an operation in a session that has a listener."""
    from sqlalchemy import event

    job, g = own
    frameworks: list[SQLAlchemy] = []

    def run(moment: str, listener: Callable[[Any], None], **settings: Any) -> Any:
        frameworks.append(framework := SQLAlchemy(database, **settings))
        event.listen(framework.session, moment, listener)
        act: Callable[[Any], None] = lambda op: framework.execute(INSERT.format(job.type, op.key))  # noqa: E731
        result = g.run_in(framework.transaction(g), order(), act)
        assert not in_transaction(framework.account())
        framework.execute(INSERT.format("another", "1"))  # the session is as it was
        framework.roll_back()
        return result

    yield run
    for framework in frameworks:
        framework.close()


def raises(_: Any) -> None:
    raise ValueError("a listener's")


@pytest.mark.parametrize("settings", [{}, {"isolation_level": "AUTOCOMMIT"}])
@pytest.mark.on("psycopg", "psycopg2", "pymysql")
def test_a_listener_before_the_commit_that_raises(
    database: Database, own: Own, listened: Callable[..., Any], settings: dict[str, Any]
) -> None:
    """As the body's own: neither row nor record stays, and the next delivery acts."""
    job, _ = own
    result = listened("before_commit", raises, **settings)
    assert (result.outcome, type(result.error), rows(database, job)) == ("released", ValueError, 0)
    assert not database.execute(f"SELECT * FROM idempotency_records WHERE job_type = '{job.type}'")
    assert listened("before_commit", lambda _: None, **settings).outcome == "completed"  # the control
    assert rows(database, job) == 1


@pytest.mark.on("psycopg", "psycopg2", "pymysql")
def test_what_a_listener_before_the_commit_writes_is_in_the_transaction(
    database: Database, own: Own, listened: Callable[..., Any]
) -> None:
    """As an audit trail does. It goes when the commit does not come about."""
    job, _ = own

    def writes(session: Any) -> None:
        from sqlalchemy import text

        session.execute(text(INSERT.format(job.type, "trail")))
        if len(tried) < 1:
            tried.append(1)
            session.connection().connection.dbapi_connection.rollback()

    tried: list[int] = []
    with pytest.raises(BodyError):
        listened("before_commit", writes)
    assert rows(database, job) == 0
    assert listened("before_commit", writes).outcome == "completed"
    assert rows(database, job) == 2
    assert database.dialect != "postgres" or transactions(database, job) == 1


def transactions(database: Database, job: Job) -> int:
    """That rows and record were written in."""
    where = f"WHERE job = '{job.type}' UNION SELECT xmin::text FROM idempotency_records WHERE job_type = '{job.type}'"
    return len(database.execute(f"SELECT xmin::text FROM effects {where}"))


@pytest.mark.on("psycopg")
def test_what_a_flush_leads_to_is_in_the_transaction(database: Database, own: Own) -> None:
    """As versions of a row do, which are added to the session when the row is written."""
    from sqlalchemy import event

    framework, (job, g) = SQLAlchemy(database), own
    effect = effect_class()

    def versions(session: Any, _: Any) -> None:
        if len(session.new) == 1 and "version" not in {e.item for e in session.new}:
            session.add(effect(job=job.type, item="version"))

    event.listen(framework.session, "after_flush", versions)
    add: Callable[[Any], None] = lambda op: framework.session.add(effect(job=job.type, item=op.key))  # noqa: E731
    assert g.run_in(framework.transaction(g), order(), add).outcome == "completed"
    assert (rows(database, job), transactions(database, job)) == (2, 1)
    database.execute(f"INSERT INTO effects VALUES ('{job.type}', 'the control')")
    assert transactions(database, job) == 2
    framework.close()


@pytest.mark.parametrize("settings", [{}, {"isolation_level": "AUTOCOMMIT"}])
@pytest.mark.on("psycopg", "psycopg2", "pymysql")
def test_a_listener_after_the_commit_that_raises(
    database: Database, own: Own, listened: Callable[..., Any], settings: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """The row is there, so the message must not come again; nobody else would say a word."""
    job, _ = own
    result = listened("after_commit", raises, **settings)
    assert (result.outcome, result.repeat, rows(database, job)) == ("completed", False, 1)
    told = [r for r in caplog.records if r.levelname == "ERROR"]
    assert [r.exc_info and r.exc_info[0] for r in told] == [ValueError]
    assert listened("after_commit", raises, **settings).repeat
    assert rows(database, job) == 1


@pytest.mark.on("psycopg")
def test_on_commit_runs_after_the_commit(database: Database, own: Own) -> None:
    from django.db import transaction

    framework = Django(database)
    job, g = own
    seen: list[int] = []

    def act(op: Any) -> None:
        framework.execute(INSERT.format(job.type, op.key))
        transaction.on_commit(lambda: seen.append(rows(database, job)))

    for _ in range(2):
        g.run_in(framework.transaction(g), order(), act)
    assert seen == [1]
    framework.close()


@pytest.mark.on("psycopg")
def test_on_commit_that_raises_is_told(database: Database, own: Own, caplog: pytest.LogCaptureFixture) -> None:
    """The row is there, so the message must not come again; nobody else would say a word."""
    from django.db import transaction

    framework = Django(database)
    job, g = own

    def fails() -> None:
        raise ValueError("no mail was sent")

    def act(op: Any) -> None:
        framework.execute(INSERT.format(job.type, op.key))
        transaction.on_commit(fails)

    assert g.run_in(framework.transaction(g), order(), act).outcome == "completed"
    assert rows(database, job) == 1
    told = [r for r in caplog.records if r.levelname == "ERROR"]
    assert [r.exc_info and r.exc_info[0] for r in told] == [ValueError]
    assert not in_transaction(framework.account())
    framework.close()


@pytest.mark.on("psycopg")
def test_a_commit_that_fails_is_no_callback(database: Database, own: Own, caplog: pytest.LogCaptureFixture) -> None:
    framework = Django(database)
    job, g = own
    database.execute("DROP TABLE IF EXISTS deferred")
    database.execute("CREATE TABLE deferred (item TEXT UNIQUE DEFERRABLE INITIALLY DEFERRED)")

    def act(op: Any) -> None:
        framework.execute(INSERT.format(job.type, op.key))
        framework.execute("INSERT INTO deferred VALUES ('x'), ('x')")

    with pytest.raises(NotStoredError):
        g.run_in(framework.transaction(g), order(), act)
    assert rows(database, job) == 0
    assert "on_commit" not in caplog.text
    framework.close()
