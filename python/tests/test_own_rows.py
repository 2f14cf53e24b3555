"""Own rows on each database and driver: what the scenarios cannot say."""

from __future__ import annotations

import threading
import time
from collections import Counter
from contextlib import suppress
from typing import Any

import pytest
from charges import rows, write

from databases import Database
from jobs import a_job, guard, order
from twiceproof import BodyError, DeadlinePassed, RefusedError
from twiceproof.driver import driver_of, in_transaction


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


@pytest.mark.on("postgres", "mysql")
def test_a_stopped_workers_transaction_ends_with_its_lease(database: Database) -> None:
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
