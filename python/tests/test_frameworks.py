"""A row of one's own through SQLAlchemy's session and Django's atomic, on PostgreSQL and MariaDB."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from frameworks import INSERT, Django, Framework, Own, SQLAlchemy, effect_class, rows

from databases import Database
from jobs import a_job, guard, order, record
from twiceproof import BodyError, KeyRefusedError, NotStoredError, OpenTransactionError, RefusedError
from twiceproof.driver import in_transaction


@pytest.fixture(params=[SQLAlchemy, Django])
def framework(request: pytest.FixtureRequest, database: Database) -> Iterator[Framework]:
    if request.param is Django and database.name != "psycopg":
        pytest.skip("Django is tested on PostgreSQL")
    found = request.param(database)
    yield found
    found.close()


@pytest.mark.on("psycopg", "psycopg2", "pymysql")
def test_once(framework: Framework, database: Database, own: Own) -> None:
    job, g = own

    def act(op: Any) -> None:
        assert in_transaction(framework.account())
        framework.execute(INSERT.format(job.type, op.key))
        op.set_result(b"r")

    found = [g.run_in(framework.transaction(g), order(), act) for _ in range(2)]
    assert [(r.outcome, r.repeat, r.value) for r in found] == [("completed", False, b"r"), ("completed", True, b"r")]
    assert rows(database, job) == 1
    assert not in_transaction(framework.account())


@pytest.mark.on("psycopg", "pymysql")
@pytest.mark.parametrize("kind", [SQLAlchemy, Django])
def test_a_connection_that_is_found_lost_is_given_up(kind: type[Any], database: Database, own: Own) -> None:
    """A server ends what was idle for too long. Whoever keeps that connection would be given it for ever."""
    job, g = own
    framework = kind(database)
    asks = {"postgres": "SELECT pg_backend_pid()", "mysql": "SELECT CONNECTION_ID()"}[database.dialect]
    ends = {"postgres": "SELECT pg_terminate_backend({})", "mysql": "KILL {}"}[database.dialect]
    database.execute(ends.format(framework.number(asks)))

    def act(op: Any) -> None:
        framework.execute(INSERT.format(job.type, op.key))

    with pytest.raises(NotStoredError):
        g.run_in(framework.transaction(g), order(), act)
    assert g.run_in(framework.transaction(g), order(), act).outcome == "completed"
    assert rows(database, job) == 1
    framework.close()


@pytest.mark.on("psycopg", "psycopg2", "pymysql")
def test_a_body_that_raises_leaves_nothing(framework: Framework, database: Database, own: Own) -> None:
    job, g = own

    def act(op: Any) -> None:
        framework.execute(INSERT.format(job.type, op.key))
        raise ValueError

    for _ in range(2):
        assert g.run_in(framework.transaction(g), order(), act).outcome == "released"
    assert rows(database, job) == 0
    assert not in_transaction(framework.account())


@pytest.mark.on("psycopg", "psycopg2", "pymysql", "sqlite3")
def test_where_each_statement_commits(database: Database, own: Own) -> None:
    """The claim would commit alone; so would claim and row, were MySQL's autocommit set on again before the rollback."""
    job, g = own
    framework = SQLAlchemy(database, isolation_level="AUTOCOMMIT")

    def act(op: Any) -> None:
        framework.execute(INSERT.format(job.type, op.key))
        if len(results) < 2:
            raise ValueError

    results: list[str] = []
    for left in (0, 0, 1, 1):
        results.append(g.run_in(framework.transaction(g), order(), act).outcome)
        assert rows(database, job) == left
    assert results == ["released", "released", "completed", "completed"]
    framework.execute(INSERT.format(job.type, "another"))  # the session is as it was
    framework.close()
    assert rows(database, job) == 2


@pytest.mark.on("psycopg", "psycopg2", "pymysql")
def test_an_open_transaction_is_refused_and_goes_on(framework: Framework, database: Database, own: Own) -> None:
    """The application's own writes around it stay."""
    job, g = own
    with framework.outer():
        framework.execute(INSERT.format(job.type, "before"))
        with pytest.raises(RefusedError, match="open"):
            g.run_in(framework.transaction(g), order(), lambda op: None)
        framework.execute(INSERT.format(job.type, "after"))
    framework_commit(framework)
    assert rows(database, job) == 2


@pytest.mark.parametrize("join", ["conditional_savepoint", "create_savepoint", "rollback_only", "control_fully"])
@pytest.mark.on("psycopg")
def test_a_session_within_somebody_elses_transaction_is_refused(database: Database, own: Own, join: Any) -> None:
    from sqlalchemy.orm import Session

    from twiceproof.sqlalchemy import SessionTransaction

    job, g = own
    outside = a_job()
    h = guard(database, outside)
    framework = SQLAlchemy(database)
    acted: list[Any] = []
    with framework.engine.connect() as connection:
        outer = connection.begin()
        connection.execute(framework.text(INSERT.format(job.type, "outer")))
        session = Session(connection, join_transaction_mode=join)
        with pytest.raises(OpenTransactionError, match="open"):
            g.run_in(SessionTransaction(g, session), order(), acted.append)
        with pytest.raises(OpenTransactionError, match="outside effect"):
            h.run(order(), acted.append, application=session)
        assert outer.is_active
        outer.rollback()
        assert (rows(database, job), acted) == (0, [])
        assert g.run_in(SessionTransaction(g, session), order(), acted.append).outcome == "completed"  # the control
        assert h.run(order(), acted.append, application=session).outcome == "completed"
    h.close()
    framework.close()


@pytest.mark.on("psycopg")
def test_a_session_that_commits_in_two_phases_is_refused(database: Database, own: Own) -> None:
    """SQLAlchemy would commit row and record without the seal, and nobody would notice a body that has ended its transaction."""
    (job, g), framework = own, SQLAlchemy(database)
    acted: list[Any] = []
    framework.session().twophase = True
    with pytest.raises(RefusedError, match="twophase"):
        g.run_in(framework.transaction(g), order(), acted.append)
    assert (acted, database.execute(f"SELECT 1 FROM idempotency_records WHERE job_type = '{job.type}'")) == ([], [])
    framework.session().twophase = False
    assert g.run_in(framework.transaction(g), order(), acted.append).outcome == "completed"  # the control
    framework.close()


@pytest.mark.on("psycopg", "psycopg2", "pymysql")
def test_a_message_without_a_key_opens_nothing(framework: Framework, own: Own) -> None:
    """What it left open would be refused to every message after it."""
    _, g = own
    with pytest.raises(KeyRefusedError):
        g.run_in(framework.transaction(g), order(None), lambda op: None)
    assert not in_transaction(framework.account())
    assert g.run_in(framework.transaction(g), order(), lambda op: None).outcome == "completed"


@pytest.mark.on("psycopg")
def test_a_session_without_a_connection(database: Database, own: Own) -> None:
    """The message stays, and the session is as it was."""
    _, g = own
    framework = SQLAlchemy(database, pool_size=1, max_overflow=0, pool_timeout=0)
    with framework.engine.connect(), pytest.raises(NotStoredError, match="connection"):
        g.run_in(framework.transaction(g), order(), lambda op: None)
    assert not in_transaction(framework.account())
    assert g.run_in(framework.transaction(g), order(), lambda op: None).outcome == "completed"
    framework.close()


def framework_commit(framework: Framework) -> None:
    if in_transaction(framework.account()):
        framework.commit()


@pytest.mark.on("psycopg", "psycopg2", "pymysql")
def test_an_outside_effect_within_it_is_refused(framework: Framework, database: Database) -> None:
    job = a_job()
    g = guard(database, job)
    acted: list[Any] = []
    with framework.outer(), pytest.raises(RefusedError, match="outside effect"):
        g.run(order(), acted.append, application=framework.account())
    framework_commit(framework)
    assert not acted
    assert g.run(order(), acted.append, application=framework.account()).outcome == "completed"  # the control
    assert len(acted) == 1
    g.close()


@pytest.mark.parametrize("end", ["commit", "roll_back"])
@pytest.mark.on("psycopg", "psycopg2", "pymysql")
def test_a_body_that_ends_it_is_caught(framework: Framework, database: Database, own: Own, end: str) -> None:
    job, g = own

    def act(op: Any) -> None:
        framework.execute(INSERT.format(job.type, "first"))
        getattr(framework, end)()
        framework.execute(INSERT.format(job.type, "second"))

    with pytest.raises(BodyError):
        g.run_in(framework.transaction(g), order(), act)
    assert rows(database, job) == (1 if end == "commit" else 0)
    if end == "commit":
        assert record(database, job, "state", "hold_reason") == ("held", "body_ended_transaction")
    assert not in_transaction(framework.account())


@pytest.mark.on("postgres")
@pytest.mark.on("psycopg", "psycopg2", "pymysql")
def test_a_swallowed_error_is_caught(framework: Framework, database: Database, own: Own) -> None:
    job, g = own

    def act(op: Any) -> None:
        framework.execute(INSERT.format(job.type, op.key))
        with contextlib.suppress(Exception):
            framework.execute("SELECT no_such_column")

    with pytest.raises(BodyError):
        g.run_in(framework.transaction(g), order(), act)
    assert rows(database, job) == 0


@pytest.mark.on("psycopg")
@pytest.mark.on("psycopg", "psycopg2", "pymysql")
def test_a_lost_connection(framework: Framework, database: Database, own: Own) -> None:
    """The delivery stays on the queue, and the next one works."""
    job, g = own
    ends: Callable[[Any], None] = lambda op: framework.execute("SELECT pg_terminate_backend(pg_backend_pid())")  # noqa: E731
    result = g.run_in(framework.transaction(g), order(), ends)
    assert result.outcome == "released"
    framework.close()
    write: Callable[[Any], None] = lambda op: framework.execute(INSERT.format(job.type, op.key))  # noqa: E731
    assert g.run_in(framework.transaction(g), order(), write).outcome == "completed"
    assert rows(database, job) == 1


@pytest.mark.on("psycopg")
def test_orm_objects_are_flushed(database: Database, own: Own) -> None:
    """What the session has only collected is in the transaction, too; what it cannot write fails before the seal."""
    framework, effect = SQLAlchemy(database), effect_class()
    job, g = own
    add: Callable[[Any], None] = lambda op: framework.session.add(effect(job=job.type, item="x" * 99))  # noqa: E731
    assert g.run_in(framework.transaction(g), order(), add).outcome == "released"
    assert rows(database, job) == 0
    done = g.run_in(framework.transaction(g), order(), lambda op: framework.session.add(effect(job=job.type, item=op.key)))
    assert (done.outcome, rows(database, job)) == ("completed", 1)
    framework.close()
