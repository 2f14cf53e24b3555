"""connect fails with whatever the application's own way to a connection raises; nothing was claimed by then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy
from sqlalchemy.exc import OperationalError

from databases import Database
from jobs import a_job, guard, order, record
from twiceproof import Guard, NotStoredError
from twiceproof.failure import lasting


def raises(error: Exception) -> Callable[[], Any]:
    def connect() -> Any:
        raise error

    return connect


NOWHERE = sqlalchemy.create_engine("sqlite:////nowhere/at/all.db")


@pytest.mark.parametrize(
    ("connect", "cause"),
    [(raises(RuntimeError("the secret store is away")), RuntimeError), (NOWHERE.connect, OperationalError)],
)
def test_whatever_connect_raises_is_not_stored(connect: Callable[[], Any], cause: type[Exception]) -> None:
    acted: list[Any] = []
    with pytest.raises(NotStoredError) as caught:
        Guard(connect, a_job()).run(order(), acted.append)
    assert isinstance(caught.value.__cause__, cause)
    assert acted == []


def test_an_error_of_connect_does_not_lose_the_completion(database: Database) -> None:
    job = a_job()
    connects = [database.connect, raises(RuntimeError("the secret store is away")), database.connect, database.connect]

    def connect() -> Any:
        return connects.pop(0)()

    g = Guard(connect, job)
    with pytest.raises(NotStoredError):
        g.run(order(), lambda op: g.close())
    assert record(database, job, "state", "completion") == ("completed", "acted")
    assert g.run(order(), lambda op: None).repeat
    g.close()


@pytest.mark.parametrize("missing", ["nowhere (job_type) VALUES ('t')", "idempotency_records (nothing) VALUES ('t')"])
def test_a_refusal_does_not_pass_by_itself(database: Database, missing: str) -> None:
    connection = database.connect()
    with pytest.raises(Exception, match=r"no|exist") as refused:
        connection.cursor().execute(f"INSERT INTO {missing}")
    connection.close()
    assert lasting(refused.value)


@pytest.mark.on("postgres", "sqlite")
def test_a_table_without_its_key_does_not_pass_by_itself(database: Database) -> None:
    database.execute("CREATE TABLE keyless AS SELECT * FROM idempotency_records WHERE 1 = 0")
    try:
        with pytest.raises(NotStoredError) as refused:
            guard(database, a_job(), table="keyless").run(order(), lambda op: None)
    finally:
        database.execute("DROP TABLE keyless")
    assert lasting(refused.value)


def test_a_database_that_is_away_may_pass() -> None:
    with pytest.raises(NotStoredError) as away:
        Guard(raises(ConnectionRefusedError("away")), a_job(lease=1)).run(order(), lambda op: None)
    assert not lasting(away.value)
