"""The guard on each database and driver: what the scenarios cannot say."""

from __future__ import annotations

import gc
import os
import sqlite3
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from charges import write

from databases import Database, SQLite
from jobs import a_job, guard, order, record
from twiceproof import DeadlinePassed, Delivery, Guard, KeyRefusedError, Operation, Path, RefusedError, RenewError
from twiceproof.driver import driver_of, in_transaction
from twiceproof.key import reference_of


def test_in_its_own_words(database: Database) -> None:
    job = a_job()
    g = guard(database, job)
    seen = []

    def act(op: Any) -> None:
        op.check()
        seen.append((op.key, op.reference, op.body, 0 < op.remaining <= 60))
        op.set_result(b"receipt")

    first, again = g.run(order(7), act), g.run(order("7"), act)
    g.close()
    assert seen == [("7", reference_of(job.type, "7"), 7, True)]
    assert (first.outcome, first.acknowledge, first.value, first.repeat) == ("completed", True, b"receipt", False)
    assert (again.outcome, again.acknowledge, again.value, again.repeat) == ("completed", True, b"receipt", True)
    assert record(database, job, "repeats") == (1,)


@pytest.mark.parametrize(
    ("given", "kept"), [("host-1/7", "host-1/7"), ("a\0b\ud800", "a?b?"), ("ü \N{GRINNING FACE}", "? ?"), ("w" * 300, "w" * 255)]
)
def test_the_workers_name_stops_nothing(database: Database, given: str, kept: str) -> None:
    job = a_job()
    g = guard(database, job, worker=given)
    assert g.run(order(), lambda op: None).outcome == "completed"
    g.close()
    assert record(database, job, "claimed_by") == (kept,)


def test_one_of_many_at_once(database: Database) -> None:
    job = a_job()
    g = guard(database, job)
    acted: list[Any] = []
    outcomes = []
    together = threading.Barrier(8)

    def deliver() -> None:
        together.wait()
        outcomes.append(g.run(order(), acted.append).outcome)

    threads = [threading.Thread(target=deliver) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    g.close()
    assert len(acted) == 1
    assert Counter(outcomes).keys() <= {"completed", "live"}
    assert len(outcomes) == 8


def test_connect_must_give_a_connection_of_its_own(database: Database) -> None:
    shared = database.connect()
    driver_of(shared).begin(shared)
    write(shared, "shared", "x")
    g = Guard(lambda: shared, a_job())
    with pytest.raises(RefusedError, match="open transaction"):
        g.run(order(), lambda op: None)
    assert in_transaction(shared)  # the application's, and left alone
    shared.close()


def test_rows_as_the_application_likes_them(database: Database) -> None:
    job = a_job(own_row=True)
    g = Guard(lambda: with_rows(database), job)
    connection = with_rows(database)
    results = [g.run_tx(connection, order(), lambda op: op.set_result(b"r")) for _ in range(2)]
    assert [r.repeat for r in results] == [False, True]
    assert results[1].value == b"r"
    connection.close()
    g.close()


def with_rows(database: Database) -> Any:
    connection = database.connect()
    if database.name == "psycopg":
        from psycopg.rows import dict_row

        connection.row_factory = dict_row
    elif database.name == "psycopg2":
        from psycopg2.extras import RealDictCursor

        connection.cursor_factory = RealDictCursor
    elif database.name == "pymysql":
        from pymysql.cursors import DictCursor

        connection.cursorclass = DictCursor
    elif database.name == "mysqlclient":
        from MySQLdb.cursors import DictCursor as Dict

        connection.cursorclass = Dict
    else:
        connection.row_factory = lambda cursor, row: {"row": row}
    return connection


def test_a_connection_opened_before_a_fork_is_the_parents(database: Database) -> None:
    job = a_job()
    g = guard(database, job)
    opened: list[int] = []
    connect = g.own._connect
    g.own._connect = lambda: (opened.append(os.getpid()), connect())[1]  # type: ignore[func-returns-value]
    assert g.run(order("parent"), lambda op: None).outcome == "completed"
    child = os.fork()
    if child == 0:
        status = 1
        with suppress(BaseException):
            ok = g.run(order("child"), lambda op: None).outcome == "completed" and opened == [os.getppid(), os.getpid()]
            status = 0 if ok else 2
        os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    before = len(opened)
    assert g.run(order("parent again"), lambda op: None).outcome == "completed"
    assert len(opened) == before  # the parent's is as good as it was
    g.close()


@pytest.mark.on("postgres", "mysql")
def test_a_connection_that_the_server_ended(database: Database) -> None:
    g = guard(database, a_job())
    assert g.run(order(1), lambda op: None).outcome == "completed"
    with g.own.lend() as (connection, driver):
        cursor = driver.cursor(connection)
        cursor.execute("SELECT pg_backend_pid()" if database.dialect == "postgres" else "SELECT CONNECTION_ID()")
        number = cursor.fetchone()[0]
        cursor.close()
    database.execute(f"SELECT pg_terminate_backend({number})" if database.dialect == "postgres" else f"KILL {number}")
    assert g.run(order(2), lambda op: None).outcome == "completed"
    g.close()


def test_an_old_snapshot_of_the_application_hides_nothing(database: Database) -> None:
    """The guard reads on its own connection, whatever the application's transaction can see."""
    job = a_job()
    g = guard(database, job)
    application = database.connect()
    driver_of(application).commit_each(application)

    def seen() -> int:
        cursor = application.cursor()
        cursor.execute(f"SELECT COUNT(*) FROM idempotency_records WHERE job_type = '{job.type}'")
        (count,) = cursor.fetchone()
        cursor.close()
        return int(count)

    begin = {"postgres": "BEGIN ISOLATION LEVEL REPEATABLE READ", "mysql": "START TRANSACTION", "sqlite": "BEGIN"}
    driver_of(application).execute(application, begin[database.dialect])
    assert seen() == 0
    acted: list[str] = []
    outcomes = [g.run(order(1), lambda op: acted.append(op.key)).repeat for _ in range(2)]
    assert (outcomes, acted) == ([False, True], ["1"])
    assert seen() == 0  # the control
    application.close()
    g.close()


def test_two_jobs_or_tenants_have_the_same_key(database: Database) -> None:
    """An operation is a job's and a key's. The tenant must be in the key: in the control the second one's is skipped."""
    acted: Counter[str] = Counter()
    tenants = Operation(key=(Path.parse("body.tenant"), Path.parse("body.order")))
    by_tenant = replace(a_job(), operation=tenants)
    for job, effects in ((a_job(), 1), (a_job(), 1), (by_tenant, 2)):  # each job's own
        acted.clear()
        g = guard(database, job)
        for tenant in ("a", "b", "a", "b"):
            g.run(Delivery({"body": {"order": 42, "tenant": tenant}}), lambda op: acted.update([op.key]))
        g.close()
        assert (len(acted), set(acted.values())) == (effects, {1})


def test_a_renamed_class_keeps_its_job(database: Database) -> None:
    """By its explicit type. The control is a type that is taken from the name: all that was done is forgotten."""
    acted: list[str] = []
    for job_type, effects in (("renamed.charge", 1), ("renamed.charge", 1), ("renamed.Payment", 2)):
        g = guard(database, replace(a_job(), type=job_type))
        g.run(order(42), lambda op: acted.append(op.key))
        g.close()
        assert len(acted) == effects


def test_what_changes_at_each_sending_is_not_in_the_key(database: Database) -> None:
    """One event is sent three times by the application; in the control the key holds the time of the sending."""
    for names, effects in ((("order",), 1), (("order", "at"), 3)):
        acted: list[str] = []
        key = tuple(Path.parse(f"body.{name}") for name in names)
        g = guard(database, replace(a_job(), operation=Operation(key=key)))
        for at in range(3):
            g.run(Delivery({"body": {"order": 42, "at": f"12:00:0{at}"}}), lambda op: acted.append(op.key))  # noqa: B023
        g.close()
        assert len(acted) == effects


def test_a_redelivery_may_come_however_late(database: Database) -> None:
    """The acknowledgement was lost, and is missed at the next restart only. Once its record is deleted it acts again."""
    job = a_job()
    g = guard(database, job)
    acted: list[Any] = []
    assert g.run(order(), acted.append).outcome == "completed"
    where = f"WHERE job_type = '{job.type}'"
    for milliseconds in (3_600_000, 400 * 86_400_000):
        times = ", ".join(database.older(c, milliseconds) for c in ("claimed_at", "first_claimed_at", "completed_at"))
        database.execute(f"UPDATE idempotency_records SET {times} {where}")
        assert g.run(order(), acted.append).repeat
    assert len(acted) == 1
    database.execute(f"DELETE FROM idempotency_records {where}")
    assert not g.run(order(), acted.append).repeat  # the control
    assert len(acted) == 2
    g.close()


def test_workers_that_start_take_over_nothing_that_is_live(database: Database) -> None:
    job = a_job("accept_duplicate")
    acted: list[Any] = []
    first = guard(database, job)

    def starts() -> str:
        g = guard(database, job)
        outcome = g.run(order(), acted.append).outcome
        g.close()
        return outcome

    outcomes: list[str] = []

    def act(op: Any) -> None:
        outcomes.extend(starts() for _ in range(100))
        raise ValueError

    assert first.run(order(), act).outcome == "given_up"
    assert (Counter(outcomes), acted) == ({"live": 100}, [])
    assert (starts(), len(acted)) == ("completed", 1)  # the control: it is no longer live
    first.close()


async def coroutine(op: Any) -> None:
    raise AssertionError


def generator(op: Any) -> Any:
    yield op


@pytest.mark.parametrize("act", [coroutine, generator])
def test_what_is_still_to_be_waited_for_is_not_done(database: Database, act: Any) -> None:
    job, row = a_job(), a_job(own_row=True)
    g, h = guard(database, job), guard(database, row)
    result = g.run(order(), act)
    assert result.outcome == "given_up"
    assert isinstance(result.error, TypeError)
    connection = database.application()
    assert h.run_tx(connection, order(), act).outcome == "released"
    connection.close()
    g.close()
    h.close()


@pytest.mark.parametrize("answer", [None, 0, "", [], coroutine])
def test_a_look_up_that_answers_neither_gave_no_answer(database: Database, answer: Any) -> None:
    job = a_job("lookup", settle=timedelta(seconds=1), lease=60)
    acted: list[Any] = []
    g = guard(database, job, look_up=lambda op: answer)

    def fails(op: Any) -> None:
        raise ValueError("time-out")

    assert g.run(order(), fails).outcome == "given_up"
    database.execute(f"UPDATE idempotency_records SET {database.older('claimed_at', 2000)} WHERE job_type = '{job.type}'")
    result = g.run(order(), acted.append)
    assert (result.outcome, acted) == ("given_up", [])
    assert record(database, job, "lookups") == (1,)
    g.close()


def test_nothing_is_acted_after_the_deadline(database: Database) -> None:
    job = a_job(lease=1)
    g = guard(database, job)

    def act(op: Any) -> None:
        while True:
            op.check()
            time.sleep(0.02)

    result = g.run(order(), act)
    assert result.outcome == "released"
    assert isinstance(result.error, DeadlinePassed)
    assert record(database, job, "acts") == (0,)
    g.close()


def test_renewal_moves_the_deadline_and_is_bounded(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    job = a_job()
    g = guard(database, job)

    def act(op: Any) -> None:
        before = op.deadline
        op.renew()
        assert op.deadline > before
        monkeypatch.setattr("twiceproof.perform.MAX_RENEWAL", 1)  # as after 9 leases
        op.renew()

    result = g.run(order(), act)
    assert isinstance(result.error, RenewError)
    assert result.outcome == "given_up"
    g.close()


def test_no_renewal_past_what_the_service_remembers(database: Database) -> None:
    job = a_job("resend", reference_window=timedelta(seconds=90))
    g = guard(database, job)

    def fails(op: Any) -> None:
        raise ValueError("time-out")

    assert g.run(order(), fails).outcome == "given_up"
    database.execute(f"UPDATE idempotency_records SET {database.older('first_claimed_at', 27_000)} WHERE job_type = '{job.type}'")

    def act(op: Any) -> None:
        time.sleep(4)
        op.renew()

    assert isinstance(g.run(order(), act).error, RenewError)
    g.close()


def test_refused_before_anything(database: Database) -> None:
    job = a_job("lookup", settle=timedelta(seconds=1))
    with pytest.raises(RefusedError, match="look_up"):
        guard(database, job)
    with pytest.raises(RefusedError, match="plain identifier"):
        guard(database, a_job(), table="a; b")
    g = guard(database, a_job())
    with pytest.raises(KeyRefusedError):
        g.run(order(None), lambda op: None)
    with pytest.raises(RefusedError, match="run_tx"):
        guard(database, a_job(own_row=True)).run(order(), lambda op: None)
    with pytest.raises(RefusedError, match="not known"):
        g.run(order(), lambda op: None, application=object())


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # nobody can close them for their thread
@pytest.mark.on("sqlite")
def test_sqlites_connections_are_their_threads_own(database: Database) -> None:
    assert isinstance(database, SQLite)
    assert in_three_threads(f"{database.folder.name}/test.db") == ["completed"] * 6
    gc.collect()


def in_three_threads(path: str) -> list[str]:
    g = Guard(lambda: sqlite3.connect(path), a_job())
    outcomes: list[str] = []
    for key in range(3):
        thread = threading.Thread(target=lambda key=key: outcomes.append(g.run(order(key), lambda op: None).outcome))
        thread.start()
        thread.join()
        outcomes.append(g.run(order(f"main {key}"), lambda op: None).outcome)
    g.close()
    return outcomes


def test_message_and_result_are_bytes(database: Database) -> None:
    """A text would be refused by some drivers only, and a result's when the effect is there."""
    with pytest.raises(TypeError, match="bytes"):
        Delivery({}, message="text")  # type: ignore[arg-type]
    g = guard(database, a_job())
    result = g.run(order(), lambda op: op.set_result("text"))  # type: ignore[arg-type]
    assert (result.outcome, type(result.error)) == ("given_up", TypeError)
    g.close()
