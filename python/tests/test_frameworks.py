"""A row of one's own through SQLAlchemy's session and Django's atomic, on PostgreSQL and MariaDB."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from frameworks import Django, Framework, SQLAlchemy

from databases import Database
from jobs import a_job, guard, order, record
from twiceproof import BodyError, Guard, Job, KeyRefusedError, NotStoredError, OpenTransactionError, RefusedError
from twiceproof.driver import in_transaction

INSERT = "INSERT INTO effects (job, item) VALUES ('{}', '{}')"


@pytest.fixture(params=[SQLAlchemy, Django])
def framework(request: pytest.FixtureRequest, database: Database) -> Iterator[Framework]:
    if request.param is Django and database.name != "psycopg":
        pytest.skip("Django is tested on PostgreSQL")
    if database.name not in ("psycopg", "psycopg2", "pymysql"):
        pytest.skip("SQLAlchemy is tested on the servers")
    found = request.param(database)
    yield found
    found.close()


@pytest.fixture
def own(database: Database) -> Iterator[tuple[Job, Guard]]:
    job = a_job(own_row=True)
    g = guard(database, job)
    yield job, g
    g.close()


Own = tuple[Job, Guard]


def rows(database: Database, job: Job) -> int:
    return int(database.execute(f"SELECT COUNT(*) FROM effects WHERE job = '{job.type}'")[0][0])


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


def test_a_body_that_raises_leaves_nothing(framework: Framework, database: Database, own: Own) -> None:
    job, g = own

    def act(op: Any) -> None:
        framework.execute(INSERT.format(job.type, op.key))
        raise ValueError

    for _ in range(2):
        assert g.run_in(framework.transaction(g), order(), act).outcome == "released"
    assert rows(database, job) == 0
    assert not in_transaction(framework.account())


def test_where_each_statement_commits(database: Database, own: Own) -> None:
    """The claim would commit alone; so would claim and row, were MySQL's autocommit set on again before the rollback."""
    if database.name == "mysqlclient":
        pytest.skip("SQLAlchemy is tested on PyMySQL")
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
def test_a_session_within_somebody_elses_transaction_is_refused(database: Database, own: Own, join: Any) -> None:
    if database.name != "psycopg":
        pytest.skip("one driver tells")
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


def test_a_session_that_commits_in_two_phases_is_refused(database: Database, own: Own) -> None:
    """SQLAlchemy would commit row and record without the seal, and nobody would notice a body that has ended its transaction."""
    if database.name != "psycopg":
        pytest.skip("it is SQLAlchemy's own")
    (job, g), framework = own, SQLAlchemy(database)
    acted: list[Any] = []
    framework.session().twophase = True
    with pytest.raises(RefusedError, match="twophase"):
        g.run_in(framework.transaction(g), order(), acted.append)
    assert (acted, database.execute(f"SELECT 1 FROM idempotency_records WHERE job_type = '{job.type}'")) == ([], [])
    framework.session().twophase = False
    assert g.run_in(framework.transaction(g), order(), acted.append).outcome == "completed"  # the control
    framework.close()


def test_a_message_without_a_key_opens_nothing(framework: Framework, own: Own) -> None:
    """What it left open would be refused to every message after it."""
    _, g = own
    with pytest.raises(KeyRefusedError):
        g.run_in(framework.transaction(g), order(None), lambda op: None)
    assert not in_transaction(framework.account())
    assert g.run_in(framework.transaction(g), order(), lambda op: None).outcome == "completed"


def test_a_session_without_a_connection(database: Database, own: Own) -> None:
    """The message stays, and the session is as it was."""
    if database.name != "psycopg":
        pytest.skip("one driver tells")
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


def test_a_swallowed_error_is_caught(framework: Framework, database: Database, own: Own) -> None:
    if database.dialect != "postgres":
        pytest.skip("only PostgreSQL ends a transaction so")
    job, g = own

    def act(op: Any) -> None:
        framework.execute(INSERT.format(job.type, op.key))
        with contextlib.suppress(Exception):
            framework.execute("SELECT no_such_column")

    with pytest.raises(BodyError):
        g.run_in(framework.transaction(g), order(), act)
    assert rows(database, job) == 0


def test_a_lost_connection(framework: Framework, database: Database, own: Own) -> None:
    """The delivery stays on the queue, and the next one works."""
    if database.name != "psycopg":
        pytest.skip("one driver tells")
    job, g = own
    ends: Callable[[Any], None] = lambda op: framework.execute("SELECT pg_terminate_backend(pg_backend_pid())")  # noqa: E731
    result = g.run_in(framework.transaction(g), order(), ends)
    assert result.outcome == "released"
    framework.close()
    write: Callable[[Any], None] = lambda op: framework.execute(INSERT.format(job.type, op.key))  # noqa: E731
    assert g.run_in(framework.transaction(g), order(), write).outcome == "completed"
    assert rows(database, job) == 1


def test_orm_objects_are_flushed(database: Database, own: Own) -> None:
    """What the session has only collected is in the transaction, too; what it cannot write fails before the seal."""
    if database.name != "psycopg":
        pytest.skip("one driver tells")
    framework, effect = SQLAlchemy(database), effect_class()
    job, g = own
    add: Callable[[Any], None] = lambda op: framework.session.add(effect(job=job.type, item="x" * 99))  # noqa: E731
    assert g.run_in(framework.transaction(g), order(), add).outcome == "released"
    assert rows(database, job) == 0
    done = g.run_in(framework.transaction(g), order(), lambda op: framework.session.add(effect(job=job.type, item=op.key)))
    assert (done.outcome, rows(database, job)) == ("completed", 1)
    framework.close()


@pytest.fixture
def listened(database: Database, own: Own) -> Iterator[Callable[..., Any]]:
    """Runs an operation in a session that has a listener."""
    if database.name not in ("psycopg", "psycopg2", "pymysql"):
        pytest.skip("SQLAlchemy is tested on the servers")
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


def test_what_a_flush_leads_to_is_in_the_transaction(database: Database, own: Own) -> None:
    """As versions of a row do, which are added to the session when the row is written."""
    if database.name != "psycopg":
        pytest.skip("PostgreSQL shows a row's transaction")
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


def effect_class() -> Any:
    from sqlalchemy import Column, String
    from sqlalchemy.orm import declarative_base

    base: Any = declarative_base()

    class Effect(base):  # type: ignore[misc]
        __tablename__ = "effects"
        job = Column(String, primary_key=True)
        item = Column(String, primary_key=True)

    return Effect


@pytest.mark.parametrize("settings", [{}, {"isolation_level": "AUTOCOMMIT"}])
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


def test_on_commit_runs_after_the_commit(database: Database, own: Own) -> None:
    if database.name != "psycopg":
        pytest.skip("Django is tested on PostgreSQL")
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


def test_on_commit_that_raises_is_told(database: Database, own: Own, caplog: pytest.LogCaptureFixture) -> None:
    """The row is there, so the message must not come again; nobody else would say a word."""
    if database.name != "psycopg":
        pytest.skip("Django is tested on PostgreSQL")
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


def test_a_commit_that_fails_is_no_callback(database: Database, own: Own, caplog: pytest.LogCaptureFixture) -> None:
    if database.name != "psycopg":
        pytest.skip("Django is tested on PostgreSQL")
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
