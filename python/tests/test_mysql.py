"""What is MySQL's and MariaDB's alone."""

from __future__ import annotations

from typing import Any

import pytest

from databases import Database
from jobs import a_job, guard, order
from twiceproof import Guard, RefusedError


@pytest.mark.on("mysql")
def test_mysql_dirty_reads_are_refused(database: Database) -> None:

    def dirty() -> Any:
        connection = database.connect()
        connection.cursor().execute("SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED")
        return connection

    acted: list[Any] = []
    with pytest.raises(RefusedError, match="not committed"):
        Guard(dirty, a_job()).run(order(), acted.append)
    assert acted == []


@pytest.mark.on("mysql")
def test_mysql_limits_are_the_transactions_alone(database: Database) -> None:
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


@pytest.mark.on("pymysql")
def test_mysql_keys_are_bytes_whatever_the_connection(database: Database) -> None:
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


@pytest.mark.parametrize(
    ("change", "says"),
    [("DROP PRIMARY KEY", "unique key"), ("ADD UNIQUE (reference)", "unique key"), ("ENGINE=MyISAM", "no transactions")],
)
@pytest.mark.on("mysql")
def test_mysql_with_an_unfit_table_is_refused(database: Database, change: str, says: str) -> None:
    database.execute("CREATE TABLE unfit LIKE idempotency_records")
    database.execute(f"ALTER TABLE unfit {change}")
    acted: list[Any] = []
    g, h = guard(database, a_job(), table="unfit"), guard(database, a_job(own_row=True), table="unfit")
    connection = database.application()
    with pytest.raises(RefusedError, match=says):
        g.run(order(), acted.append)
    with pytest.raises(RefusedError, match=says):
        h.run_tx(connection, order(), acted.append)
    assert acted == []
    connection.close()
    database.execute("DROP TABLE unfit")
    g.close()
    h.close()
