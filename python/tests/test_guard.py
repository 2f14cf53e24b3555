"""The guard on each database and driver: what the scenarios cannot say."""

from __future__ import annotations

import gc
import os
import signal
import sqlite3
import threading
import time
from collections import Counter
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

import databases
from databases import Database
from faults import Faults, Faulty, Strike
from jobs import a_job, guard, order, record
from twiceproof import BodyError, DeadlinePassed, Guard, KeyRefusedError, RefusedError, RenewError
from twiceproof.driver import driver_of, in_transaction


class SoftTimeLimitExceeded(Exception):
    """As a task queue raises it, from a signal."""


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
    assert seen == [("7", job.reference_of("7"), 7, True)]
    assert (first.outcome, first.acknowledge, first.value, first.repeat) == ("completed", True, b"receipt", False)
    assert (again.outcome, again.acknowledge, again.value, again.repeat) == ("completed", True, b"receipt", True)
    assert record(database, job, "repeats") == (1,)


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


def test_one_own_row_of_many_at_once(database: Database) -> None:
    job = a_job(own_row=True)
    g = guard(database, job)
    outcomes = []
    together = threading.Barrier(6)

    def deliver() -> None:
        connection = database.application()
        together.wait()
        outcomes.append(g.run_tx(connection, order(), lambda op: write(connection, job.type, op.key)).outcome)
        connection.close()

    threads = [threading.Thread(target=deliver) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    g.close()
    assert rows(database, job.type) == 1
    assert Counter(outcomes).keys() <= {"completed", "live"}
    assert len(outcomes) == 6


def write(connection: Any, job_type: str, key: str) -> None:
    driver_of(connection).execute(connection, f"INSERT INTO effects (job, item) VALUES ('{job_type}', '{key}')")


def rows(database: Database, job_type: str) -> int:
    return int(database.execute(f"SELECT COUNT(*) FROM effects WHERE job = '{job_type}'")[0][0])


@pytest.mark.parametrize("commits_each", [True, False])
def test_own_row_however_the_connection_commits(database: Database, commits_each: bool) -> None:
    job = a_job(own_row=True)
    g = guard(database, job)
    connection = database.connect()
    if commits_each:
        driver_of(connection).commit_each(connection)

    def act(op: Any) -> None:
        write(connection, job.type, op.key)
        op.set_result(b"r")

    def fails(op: Any) -> None:
        act(op)
        raise ValueError("no")

    assert g.run_tx(connection, order(), fails).outcome == "released"
    assert rows(database, job.type) == 0
    assert not in_transaction(connection)
    assert [g.run_tx(connection, order(), act).repeat for _ in range(2)] == [False, True]
    assert not in_transaction(connection)
    assert rows(database, job.type) == 1
    write(connection, job.type, "another")  # the connection is as it was
    connection.commit()
    assert rows(database, job.type) == 2
    connection.close()
    g.close()


@pytest.mark.parametrize("commits_each", [True, False])
def test_an_open_transaction_is_refused_and_left_alone(database: Database, commits_each: bool) -> None:
    job, outside = a_job(own_row=True), a_job()
    g, h = guard(database, job), guard(database, outside)
    connection = database.connect()
    driver = driver_of(connection)
    if commits_each:
        driver.commit_each(connection)
    acted: list[Any] = []
    driver.begin(connection)
    write(connection, job.type, "the application")
    with pytest.raises(RefusedError, match="transaction is open"):
        g.run_tx(connection, order(), acted.append)
    with pytest.raises(RefusedError, match="transaction is open"):
        h.run(order(), acted.append, application=connection)
    assert in_transaction(connection)
    driver.commit(connection)
    assert rows(database, job.type) == 1
    assert acted == []
    assert h.run(order(), acted.append, application=connection).outcome == "completed"
    assert g.run_tx(connection, order(), acted.append).outcome == "completed"
    connection.close()
    g.close()
    h.close()


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


def test_a_connection_that_the_server_ended(database: Database) -> None:
    if database.dialect == "sqlite":
        pytest.skip("has no server")
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


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_whoever_leaves_the_body_gives_up(database: Database, raised: type[BaseException]) -> None:
    job = a_job()
    g = guard(database, job)

    def act(op: Any) -> None:
        raise raised

    with pytest.raises(raised):
        g.run(order(), act)
    assert record(database, job, "state", "acts", "given_up") == ("claimed", 1, 1)
    assert g.run(order(), act).outcome == "held"
    g.close()


def test_a_time_limit_in_the_body(database: Database) -> None:
    job = a_job()
    g = guard(database, job)

    def act(op: Any) -> None:
        with Alarm(SoftTimeLimitExceeded("soft")):
            time.sleep(60)

    result = g.run(order(), act)
    assert result.outcome == "given_up"
    assert isinstance(result.error, SoftTimeLimitExceeded)
    assert record(database, job, "state", "given_up") == ("claimed", 1)
    g.close()


class Alarm:
    """Raises within the block, from a signal; only for the main thread."""

    def __init__(self, error: BaseException, after: float = 0.05) -> None:
        self.error = error
        self.after = after

    def __enter__(self) -> None:
        def handler(*_: Any) -> None:
            raise self.error

        self.before = signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, self.after)

    def __exit__(self, *_: Any) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.before)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SoftTimeLimitExceeded("soft")])
def test_an_interruption_does_not_lose_the_completion(database: Database, error: BaseException) -> None:
    job = a_job()
    faults = Faults(database.dialect, "?" if database.dialect == "sqlite" else "%s")
    faults.strikes.append(Strike("complete", "pause"))

    def interrupted() -> None:
        raise error

    faults.pause = interrupted
    g = Guard(lambda: Faulty(database.connect(), faults), job)
    with pytest.raises(type(error)):
        g.run(order(), lambda op: None)
    assert record(database, job, "state", "completion") == ("completed", "acted")
    g.close()


BLOCKED = {
    "postgres": "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE idemp%'",
    "mysql": "SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'",
}


def test_a_time_limit_while_the_database_is_waited_for(database: Database) -> None:
    if database.dialect == "sqlite":
        pytest.skip("locks no rows")
    job = a_job()
    g = guard(database, job)
    locker = database.connect()
    driver_of(locker).begin(locker)
    main = threading.get_ident()

    def strike() -> None:
        until = time.monotonic() + 30
        while not database.execute(BLOCKED[database.dialect])[0][0] and time.monotonic() < until:
            time.sleep(0.02)
        signal.pthread_kill(main, signal.SIGALRM)
        time.sleep(0.3)
        locker.commit()

    thread = threading.Thread(target=strike)

    def act(op: Any) -> None:
        driver_of(locker).execute(locker, f"UPDATE idempotency_records SET claimed_by = 'l' WHERE job_type = '{job.type}'")
        thread.start()

    with pytest.raises(SoftTimeLimitExceeded), Alarm(SoftTimeLimitExceeded("soft"), after=60):
        g.run(order(), act)
    thread.join()
    assert record(database, job, "state", "completion", "late_finish_at") == ("completed", "acted", None)
    locker.close()
    g.close()


def test_an_interruption_during_the_claim_acts_nothing(database: Database) -> None:
    job = a_job()
    faults = Faults(database.dialect, "?" if database.dialect == "sqlite" else "%s")
    faults.strikes.append(Strike("claim", "pause"))

    def interrupted() -> None:
        raise KeyboardInterrupt

    faults.pause = interrupted
    g = Guard(lambda: Faulty(database.connect(), faults), job)
    acted: list[Any] = []
    with pytest.raises(KeyboardInterrupt):
        g.run(order(), acted.append)
    assert acted == []
    assert g.run(order(), acted.append).outcome == "completed"
    g.close()


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


def test_no_row_is_committed_after_the_deadline(database: Database) -> None:
    job = a_job(own_row=True, lease=1)
    g = guard(database, job)
    connection = database.application()

    def act(op: Any) -> None:
        write(connection, job.type, op.key)
        while op.remaining:
            time.sleep(0.02)

    result = g.run_tx(connection, order(), act)
    assert result.outcome == "released"
    assert isinstance(result.error, DeadlinePassed)
    assert rows(database, job.type) == 0
    with suppress(Exception):
        connection.close()
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
    database.execute(f"UPDATE idempotency_records SET {database.older('first_claimed_at', 29_000)} WHERE job_type = '{job.type}'")

    def act(op: Any) -> None:
        time.sleep(2)
        op.renew()

    assert isinstance(g.run(order(), act).error, RenewError)
    g.close()


def test_a_stopped_workers_transaction_ends_with_its_lease(database: Database) -> None:
    if database.dialect == "sqlite":
        pytest.skip("has no such timer")
    job = a_job(own_row=True, lease=1)
    g = guard(database, job)
    stopped, other = database.application(), database.application()
    outcomes = []

    def act(op: Any) -> None:
        write(stopped, job.type, "stopped")
        until = time.monotonic() + 60
        while "completed" not in outcomes and time.monotonic() < until:
            outcomes.append(g.run_tx(other, order(), lambda op: write(other, job.type, "other")).outcome)
            time.sleep(0.1)

    result = g.run_tx(stopped, order(), act)
    assert result.outcome == "released"
    assert outcomes[0] == "live"
    assert outcomes[-1] == "completed"
    assert database.execute(f"SELECT item FROM effects WHERE job = '{job.type}'")[0][0] == "other"
    with suppress(Exception):
        stopped.close()
    other.close()
    g.close()


def test_a_body_that_ends_the_transaction_is_named(database: Database) -> None:
    job = a_job(own_row=True)
    g = guard(database, job)
    connection = database.application()

    def act(op: Any) -> None:
        write(connection, job.type, "lost")
        connection.rollback()
        write(connection, job.type, "behind the guard's back".replace("'", ""))

    with pytest.raises(BodyError):
        g.run_tx(connection, order(), act)
    assert not in_transaction(connection)
    if not database.commits_each or database.dialect == "mysql":
        assert rows(database, job.type) == 0
    connection.close()
    g.close()


def test_mysql_dirty_reads_are_refused(database: Database) -> None:
    if database.dialect != "mysql":
        pytest.skip("is for MySQL")

    def dirty() -> Any:
        connection = database.connect()
        connection.cursor().execute("SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED")
        return connection

    acted: list[Any] = []
    with pytest.raises(RefusedError, match="not committed"):
        Guard(dirty, a_job()).run(order(), acted.append)
    assert acted == []


def test_mysql_limits_are_the_transactions_alone(database: Database) -> None:
    if database.dialect != "mysql":
        pytest.skip("is for MySQL")
    job = a_job(own_row=True, lease=7)
    g = guard(database, job)
    connection = database.application()
    limits = "SELECT @@wait_timeout, @@net_write_timeout, CAST(@@max_statement_time AS SIGNED), @@autocommit"

    def shown() -> Any:
        cursor = connection.cursor()
        cursor.execute(limits)
        row = cursor.fetchone()
        cursor.close()
        return row

    before, during = shown(), []
    connection.commit()

    def act(op: Any) -> None:
        during.append(shown())

    def fails(op: Any) -> None:
        act(op)
        raise ValueError("no")

    assert g.run_tx(connection, order(), fails).outcome == "released"
    assert g.run_tx(connection, order(), act).outcome == "completed"
    assert g.run_tx(connection, order(), act).repeat
    assert during == [(7, 7, 7, 0), (7, 7, 7, 0)]
    assert shown() == before != during[0]
    connection.close()
    g.close()


def test_mysql_keys_are_bytes_whatever_the_connection(database: Database) -> None:
    if database.name != "pymysql":
        pytest.skip("is for PyMySQL")
    import pymysql

    from databases import _STARTED

    def latin1() -> Any:
        return pymysql.connect(host="127.0.0.1", port=_STARTED["mysql"].port, user="root", database="tests", charset="latin1")

    job = a_job()
    g, other = guard(database, job), Guard(latin1, job)
    for key in ("é", "e", "É", "e ", "é "):
        assert not g.run(order(key), lambda op: None).repeat, key
        assert other.run(order(key), lambda op: None).repeat, key
    g.close()
    other.close()


@pytest.mark.parametrize("change", ["DROP PRIMARY KEY", "ADD UNIQUE (reference)"])
def test_mysql_with_other_keys_is_refused(database: Database, change: str) -> None:
    if database.dialect != "mysql":
        pytest.skip("is for MySQL; the others refuse the statement, or name the key")
    database.execute("CREATE TABLE otherkeys LIKE idempotency_records")
    database.execute(f"ALTER TABLE otherkeys {change}")
    acted: list[Any] = []
    g, h = guard(database, a_job(), table="otherkeys"), guard(database, a_job(own_row=True), table="otherkeys")
    connection = database.application()
    with pytest.raises(RefusedError, match="unique key"):
        g.run(order(), acted.append)
    with pytest.raises(RefusedError, match="unique key"):
        h.run_tx(connection, order(), acted.append)
    assert acted == []
    connection.close()
    database.execute("DROP TABLE otherkeys")
    g.close()
    h.close()


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
def test_sqlites_connections_are_their_threads_own(database: Database) -> None:
    if not isinstance(database, databases.SQLite):
        pytest.skip("is for SQLite")
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
