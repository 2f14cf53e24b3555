"""The guard behind PgBouncer's transaction mode: 20 workers on two connections to the server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import charges
import pytest

import servers
from databases import Database
from jobs import a_job, order
from twiceproof import Guard

Connect = Callable[[], Any]


@pytest.fixture(scope="module")
def pooled(database: Database) -> Iterator[Connect]:
    """The application's driver, as it comes, by way of the pool."""
    if database.dialect != "postgres":
        pytest.skip("is before PostgreSQL")
    pool = servers.pgbouncer(database.server().port)

    def connect() -> Any:
        driver = __import__(database.name)
        return driver.connect(f"postgresql://postgres@127.0.0.1:{pool.port}/tests", connect_timeout=5)

    pool.wait(connect)
    yield connect
    pool.end()
    pool.ended()


def test_outside_effects(database: Database, pooled: Connect) -> None:
    guard = Guard(pooled, a_job())
    acted: Counter[str] = Counter()

    def work(worker: int) -> list[str]:
        return [guard.run(order(worker % 10 * 100 + n), lambda op: acted.update([op.key])).outcome for n in range(20)]

    with ThreadPoolExecutor(20) as workers:
        outcomes = [outcome for done in workers.map(work, range(20)) for outcome in done]
    assert set(outcomes) <= {"completed", "live"}
    assert (len(acted), set(acted.values())) == (200, {1})
    guard.close()


def test_own_rows(database: Database, pooled: Connect) -> None:
    job = a_job(own_row=True)
    guard = Guard(pooled, job)

    def work(worker: int) -> set[str]:
        connection = pooled()
        outcomes = set()
        for n in range(20):
            key = worker % 10 * 100 + n
            result = guard.run_tx(connection, order(key), lambda op: charges.write(connection, job.type, op.key))
            outcomes.add(result.outcome)
        connection.close()
        return outcomes

    with ThreadPoolExecutor(20) as workers:
        outcomes = set().union(*workers.map(work, range(20)))
    assert outcomes <= {"completed", "live"}
    assert charges.rows(database, job.type) == 200
    guard.close()


@pytest.mark.on("psycopg")
def test_the_control_prepares_statements(database: Database, pooled: Connect) -> None:
    """psycopg 3 prepares what it has sent five times, by names that another worker's statements have too."""
    import psycopg

    def work(_: int) -> int:
        failed = 0
        connection = pooled()
        connection.autocommit = True
        for n in range(20):
            try:
                connection.execute("SELECT %s::int", [n])
            except psycopg.Error:
                failed += 1
        connection.close()
        return failed

    with ThreadPoolExecutor(20) as workers:
        assert sum(workers.map(work, range(20)))
